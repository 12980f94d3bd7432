-- Functions for all specs. Each spec is a program for a headless Neovim: it prints ok or the
-- failure for each of its checks, and ends Neovim.
local M = {}

-- patience bounds waiting for the server; a machine under load needs much of it.
local patience = 60000

local function say(text)
  io.stdout:write(text .. '\n')
end

-- wait waits until a condition holds, and returns what it returned.
function M.wait(what, condition)
  local result
  local ok = vim.wait(patience, function()
    result = condition()
    return result
  end, 5)
  if not ok then
    error('waited in vain: ' .. what, 2)
  end
  return result
end

function M.equal(what, got, want)
  if not vim.deep_equal(got, want) then
    error(('%s: got %s, want %s'):format(what, vim.inspect(got), vim.inspect(want)), 2)
  end
end

function M.match(what, text, pattern)
  if type(text) ~= 'string' or not text:find(pattern) then
    error(('%s: got %s, want a match of %s'):format(what, vim.inspect(text), pattern), 2)
  end
  return text
end

-- messages collects the messages to the user.
M.messages = {}
vim.notify = function(text)
  table.insert(M.messages, text)
end

-- What the plugin calls and Neovim is about to drop, where it says so.
local deprecated = {}
if vim.deprecate then
  vim.deprecate = function(name)
    local from = debug.traceback()
    if from:find('lua/diffprof/', 1, true) then
      table.insert(deprecated, name .. '\n' .. from)
    end
  end
end

-- place moves the cursor to a text of the buffer, which must be there once.
function M.place(text)
  for n, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local at = line:find(text, 1, true)
    if at then
      vim.api.nvim_win_set_cursor(0, { n, at - 1 })
      return n - 1, at - 1
    end
  end
  error('the buffer has no ' .. text, 2)
end

-- diagnostics returns those of a buffer, when there are any.
function M.diagnostics(bufnr)
  return M.wait('diagnostics', function()
    local found = vim.diagnostic.get(bufnr or 0)
    return #found > 0 and found
  end)
end

-- lenses returns the texts at the ends of lines, or above them, that are code lenses,
-- by line from 0: what a user sees, not what was asked for.
function M.lenses(bufnr)
  local out = {}
  vim.cmd('redraw')
  for name, ns in pairs(vim.api.nvim_get_namespaces()) do
    if name:find('codelens') then
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, ns, 0, -1, { details = true })) do
        local text = ''
        for _, chunk in ipairs(mark[4].virt_text or mark[4].virt_lines[1]) do
          text = text .. chunk[1]
        end
        out[mark[2]] = text
      end
    end
  end
  return out
end

function M.lines(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr or 0, 0, -1, false)
end

-- press types keys as a user would.
function M.press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'x', false)
end

-- floating returns the window that floats, when there is one.
function M.floating()
  return M.wait('a floating window', function()
    local window = vim.api.nvim_get_current_win()
    return vim.api.nvim_win_get_config(window).relative ~= '' and window
  end)
end

-- stop ends clients, by force or as a user would.
function M.stop(clients, force)
  for _, client in ipairs(clients) do
    require('diffprof.compat').call(client, 'stop', force)
  end
end

local tests = {}

function M.test(name, run)
  table.insert(tests, { name, run })
end

-- finish runs the tests in order and ends Neovim.
function M.finish()
  M.test('nothing deprecated is called', function()
    M.equal('calls', deprecated, {})
  end)
  for _, t in ipairs(tests) do
    local ok, err = xpcall(t[2], debug.traceback)
    say((ok and 'ok ' or 'FAIL ') .. t[1] .. (ok and '' or '\n' .. tostring(err)))
  end
  -- A server that outlives Neovim would write into folders that are being removed.
  local left = require('diffprof.client').all()
  M.stop(left)
  vim.wait(patience, function()
    return vim.tbl_isempty(vim.tbl_filter(function(client) return vim.lsp.get_client_by_id(client.id) end, left))
  end, 5)
  say('done')
  vim.cmd('qall!')
end

return M
