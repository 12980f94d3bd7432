-- diffprof in Neovim: see :help diffprof.
local config = require('diffprof.config')
local client = require('diffprof.client')
local call = require('diffprof.compat').call

local M = {}

-- registration describes how the server is registered, for :checkhealth.
M.registration = nil

-- setup registers the server; :help diffprof-setup lists the options.
---@param options? diffprof.Options
function M.setup(options)
  config.apply(options)
  M.registration = client.register()
end

local function complain(text)
  vim.notify('diffprof: ' .. text, vim.log.levels.ERROR)
end

-- absolute makes a path of the user absolute. It is relative to the working folder,
-- not to the server's root.
local function absolute(path)
  return vim.fn.fnamemodify(vim.fn.expand(path), ':p')
end

-- picked returns the client for a command. Without one it shows the reason.
local function picked()
  if not config.get() then
    return nil
  end
  local c = client.pick(vim.api.nvim_get_current_buf())
  if not c then
    complain('no server is running for this buffer: open a Java or Kotlin file of a project; see :checkhealth diffprof')
  end
  return c
end

-- execute runs a command of the server. done gets its result.
function M.execute(command, argument, done)
  local c = picked()
  if not c then
    return
  end
  return M.execute_on(c, command, argument, done)
end

function M.execute_on(c, command, argument, done)
  local params = { command = command, arguments = argument and { argument } or nil }
  local _, id = call(c, 'request', 'workspace/executeCommand', params, function(err, result)
    if err then
      -- The server was cancelled, or has shown a message itself.
      if err.code ~= -32800 and err.code ~= -32802 and err.message ~= client.state(c).failure then
        complain(err.message)
      end
      return
    end
    if done then
      done(result, c)
    end
  end, vim.api.nvim_get_current_buf())
  return id
end

-- summarize returns the result of a comparison in one line.
local function summarize(result)
  if type(result) == 'table' and result.tasks then
    -- The sentences do not fit into one line. status() has the first sentence.
    local found = result.findings == 0 and 'no findings' or result.findings == 1 and '1 finding' or result.findings .. ' findings'
    vim.api.nvim_echo({ { ('diffprof: %s, α = %d'):format(found, result.alpha) } }, false, {})
  end
end

local function run_comparison(c, command, argument)
  local state = client.state(c)
  state.running = M.execute_on(c, command, argument, summarize)
end

-- compare compares two traces, by default the traces of the settings. count is the number
-- of the user's arguments.
function M.compare(subject, reference, count)
  count = count or (subject and 1 or 0) + (reference and 1 or 0)
  if count ~= 0 and count ~= 2 then
    complain(':DiffprofCompare takes two traces, SUBJECT and REFERENCE, or none for the traces of the settings')
    return
  end
  if not config.get() then
    return
  end
  local argument
  if count == 2 then
    argument = { subject = absolute(subject), reference = absolute(reference) }
    for _, path in ipairs({ argument.subject, argument.reference }) do
      if vim.fn.filereadable(path) == 0 then
        complain('file does not exist: ' .. path)
        return
      end
    end
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local c = client.pick(bufnr)
  if c then
    run_comparison(c, 'diffprof.compare', argument)
    return
  end
  -- For an explicit command, a folder without a marker may be the root.
  local inside = vim.tbl_contains(config.current.filetypes, vim.bo[bufnr].filetype) and bufnr or nil
  local here = vim.fn.getcwd()
  local id = client.start(config.root(here .. '/.') or here, inside)
  if not id then
    return
  end
  vim.wait(5000, function()
    local started = vim.lsp.get_client_by_id(id)
    return started and started.initialized
  end, 10)
  c = client.pick(bufnr)
  if c then
    run_comparison(c, 'diffprof.compare', argument)
  else
    complain('the server does not answer; see :checkhealth diffprof')
  end
end

-- cancel ends the running comparison.
function M.cancel()
  local c = picked()
  if not c then
    return
  end
  local state = client.state(c)
  if state.running then
    call(c, 'notify', '$/cancelRequest', { id = state.running })
    state.running = nil
  end
  for token in pairs(state.progress) do
    call(c, 'notify', 'window/workDoneProgress/cancel', { token = token })
  end
end

function M.set_alpha(text)
  local c = picked()
  if c then
    -- The server checks the words.
    run_comparison(c, 'diffprof.setAlpha', { alpha = tonumber(text) or text })
  end
end

-- tasks fills the quickfix list with tasks and app code; text has the listing options.
function M.tasks(text)
  local c = picked()
  if c then
    require('diffprof.tasks').open(c, text)
  end
end

-- clear removes all results until the next comparison.
function M.clear()
  M.execute('diffprof.clear', nil, function(_, c)
    client.state(c).comparison, client.state(c).failure = nil, nil
    require('diffprof.flask').outdate(c.id)
  end)
end

-- heat turns the colours of source lines off or on.
function M.heat()
  M.execute('diffprof.toggle', { what = 'lineHeat' }, function(toggled, c)
    local bufnr = vim.api.nvim_get_current_buf()
    if not toggled.enabled or not vim.lsp.buf_is_attached(bufnr, c.id) then
      return
    end
    require('diffprof.heat').refresh(c, bufnr, function(result)
      if #result.lines == 0 and result.carry ~= '' then
        vim.api.nvim_echo({ { 'diffprof: no line of this file has a figure: ' .. result.carry } }, true, {})
      end
    end)
  end)
end

-- packages lists the packages of both traces with their owners.
function M.packages()
  M.execute('diffprof.listPackages', { format = 'text' }, function(list)
    require('diffprof.packages').open(list.text)
  end)
end

-- report writes the comparison to a file. The end of its name decides the format:
-- .html, .txt, or JSON for any other. overwrite allows it to replace a file.
function M.report(path, overwrite)
  M.execute('diffprof.report', { path = absolute(path), overwrite = overwrite or false }, function(written)
    vim.api.nvim_echo({ { 'diffprof: wrote ' .. vim.uri_to_fname(written.uri) } }, true, {})
  end)
end

-- flask draws the task with the given id, or the task at the cursor. If whole is set it draws the
-- whole run.
function M.flask(id, whole)
  local flask, tasks = require('diffprof.flask'), require('diffprof.tasks')
  local listed, of = tasks.current()
  if listed == '' and not whole and (id or '') == '' then
    return complain('this line of the list has no task of its own: :DiffprofFlask! draws the whole run')
  elseif listed and not whole and (id or '') == '' then
    local c = vim.lsp.get_client_by_id(of)
    if not c then
      return complain('the server that made this list has ended; run :DiffprofTasks again')
    end
    return flask.open(c, listed)
  end
  local c = picked()
  if not c then
    return
  end
  if whole then
    return flask.open(c, '')
  elseif id and id ~= '' then
    return flask.open(c, id)
  end
  local found = flask.at_cursor()
  if #found == 0 then
    complain('no task on this line: :DiffprofTasks lists them, :DiffprofFlask! draws the whole run')
  elseif #found == 1 then
    flask.open(c, found[1].task)
  else
    vim.ui.select(found, { prompt = 'Task:', format_item = function(t) return t.text end }, function(t)
      if t then
        flask.open(c, t.task)
      end
    end)
  end
end

-- status returns a text for a status line. It is the progress of a comparison or, without one, the
-- error or the result of the last comparison. It is empty if nothing was compared.
function M.status()
  local texts = {}
  for _, c in ipairs(client.all()) do
    local state = client.state(c)
    if next(state.progress) == nil then
      if client.failure(c) then
        table.insert(texts, 'diffprof: not compared: ' .. client.failure(c))
      elseif state.comparison then
        table.insert(texts, 'diffprof: ' .. state.comparison.sentences[1])
      end
    end
    for _, p in pairs(state.progress) do
      local percent = type(p.percentage) == 'number' and (' %d%%'):format(p.percentage) or ''
      table.insert(texts, ('diffprof: %s%s'):format(p.message or 'comparing', percent))
    end
  end
  table.sort(texts)
  return table.concat(texts, ', ')
end

return M
