-- Functions for all specs. Each spec is a program for a headless Neovim. It prints ok or FAIL for
-- each test, and ends Neovim.
local M = {}

-- patience is the longest time to wait for the server, in milliseconds. A busy machine needs a long
-- time.
local patience = 60000

local function say(text)
  io.stdout:write(text .. '\n')
end

-- wait calls condition until its result is true, and returns this result.
function M.wait(what, condition)
  local result
  local ok = vim.wait(patience, function()
    result = condition()
    return result
  end, 5)
  if not ok then
    error('timeout while waiting for ' .. what, 2)
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

-- deprecated lists the deprecated functions that the plugin calls, if Neovim reports them.
local deprecated = {}
if vim.deprecate then
  vim.deprecate = function(name)
    local from = debug.traceback()
    if from:find('lua/diffprof/', 1, true) then
      table.insert(deprecated, name .. '\n' .. from)
    end
  end
end

-- place moves the cursor to the first occurrence of a text in the buffer.
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

-- diagnostics waits until a buffer has diagnostics, and returns them.
function M.diagnostics(bufnr)
  return M.wait('diagnostics', function()
    local found = vim.diagnostic.get(bufnr or 0)
    return #found > 0 and found
  end)
end

-- lenses returns the texts of the code lenses on screen, by line from 0. Neovim draws them above
-- lines or at their ends.
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

-- floating waits until the current window is a floating one, and returns it.
function M.floating()
  return M.wait('a floating window', function()
    local window = vim.api.nvim_get_current_win()
    return vim.api.nvim_win_get_config(window).relative ~= '' and window
  end)
end

-- stop ends clients. Without force they end in an orderly way.
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
  M.test('calls no deprecated function', function()
    M.equal('calls', deprecated, {})
  end)
  for _, t in ipairs(tests) do
    local ok, err = xpcall(t[2], debug.traceback)
    say((ok and 'ok ' or 'FAIL ') .. t[1] .. (ok and '' or '\n' .. tostring(err)))
  end
  -- A server that runs longer than Neovim would write into folders that are being removed.
  local left = require('diffprof.client').all()
  M.stop(left)
  vim.wait(patience, function()
    return vim.tbl_isempty(vim.tbl_filter(function(client) return vim.lsp.get_client_by_id(client.id) end, left))
  end, 5)
  say('done')
  vim.cmd('qall!')
end

return M
