-- The window that draws the two call trees of a task.
local call = require('diffprof.compat').call
local client = require('diffprof.client')
local lens = require('diffprof.lens')
local tree = require('diffprof.tree')
local window = require('diffprof.window')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('diffprof_flask')
local help = ' q close  <Tab> fold  p call path  zo zc open, fold  zO zC with all below  zR zM all'

for group, link in pairs({
  DiffprofSubjectOnly = 'DiagnosticWarn',
  DiffprofReferenceOnly = 'DiagnosticHint',
  DiffprofRelabelled = 'DiagnosticInfo',
  DiffprofMethod = 'Title',
  DiffprofPath = 'Comment',
  DiffprofHeading = 'Special',
}) do
  api.nvim_set_hl(0, group, { link = link, default = true })
end

-- at_cursor returns the tasks at the cursor, as {task, text}. They come from the diagnostics at the
-- cursor, or else from the diagnostics of the line, or else from its lenses.
function M.at_cursor()
  local line, column = unpack(api.nvim_win_get_cursor(0))
  local exact, near, seen = {}, {}, {}
  for _, d in ipairs(vim.diagnostic.get(0, { lnum = line - 1 })) do
    local data = vim.tbl_get(d, 'user_data', 'lsp', 'data')
    if d.source == 'diffprof' and type(data) == 'table' and data.task and not seen[data.task] then
      seen[data.task] = true
      local found = { task = data.task, text = d.message }
      table.insert(near, found)
      if d.col <= column and column < (d.end_col or d.col + 1) then
        table.insert(exact, found)
      end
    end
  end
  if #near > 0 then
    return #exact > 0 and exact or near
  end
  for _, l in ipairs(lens.at(api.nvim_get_current_buf(), line - 1)) do
    local argument = l.command and l.command.command == 'diffprof.showTask' and l.command.arguments[1]
    if argument and not seen[argument.task] then
      seen[argument.task] = true
      table.insert(near, { task = argument.task, text = l.command.title })
    end
  end
  return near
end

-- statuses has the words for the status of the task's own row.
local statuses = {
  [0] = 'matched',
  [1] = 'matched with another method of the reference',
  [2] = 'only here: not matched in the reference',
  [3] = 'only there: not matched in the subject',
}

local function title(shown)
  local t = shown.tree
  local stale = shown.stale and ' (from an earlier comparison)' or ''
  if t.flask.task == '' then
    return ' The whole run' .. stale
  end
  local at = t.rows.label[t.method] + 1
  local short, label = t.flask.methods.short[at], t.flask.labels[at]
  return (' %s%s: %s · %s'):format(short, stale, statuses[t.rows.status[t.method]], label)
end

local heading_lines = 3

-- current is the row at the cursor: 0 for none, nil in the heading.
local function current(shown)
  return shown.rows[api.nvim_win_get_cursor(shown.window)[1] - heading_lines]
end

-- draw writes all lines again; the cursor stays on its row.
local function draw(shown)
  local width = api.nvim_win_get_width(shown.window)
  local row = current(shown) or shown.tree.method
  local out = tree.render(shown.tree, width)
  local lines = { title(shown), help, tree.heading(shown.subject, shown.reference, shown.tree.flask.counts, width) }
  vim.list_extend(lines, out.lines)
  shown.rows = out.rows
  for _, m in ipairs(out.marks) do
    m[1] = m[1] + heading_lines
  end
  window.write(shown.buffer, namespace, lines, { 'DiffprofMethod', 'DiffprofPath', 'DiffprofHeading' }, out.marks)
  -- If the row is now hidden, go to the nearest visible row above it.
  while row > 0 do
    for n, at in ipairs(shown.rows) do
      if at == row then
        api.nvim_win_set_cursor(shown.window, { n + heading_lines, 0 })
        return
      end
    end
    row = shown.tree.rows.parent[row] + 1
  end
end

local function keys(shown)
  local function map(left, run)
    vim.keymap.set('n', left, run, { buffer = shown.buffer, nowait = true, silent = true })
  end
  local function fold(open, deep)
    return function()
      local i = current(shown)
      if not i then
        return
      end
      if i == 0 then
        shown.tree.show_path = true
      else
        local now = open
        if now == nil then
          now = not shown.tree.open[i]
        end
        tree.set(shown.tree, i, now, deep)
      end
      draw(shown)
    end
  end
  for _, left in ipairs({ '<Tab>', '<CR>', 'za' }) do
    map(left, fold(nil))
  end
  map('zo', fold(true))
  map('zc', fold(false))
  map('zO', fold(true, true))
  map('zC', fold(false, true))
  for left, open in pairs({ zR = true, zM = false }) do
    map(left, function()
      for i = 1, shown.tree.count do
        shown.tree.open[i] = open
      end
      -- Keep the task itself open, so that its first rows are visible.
      shown.tree.open[shown.tree.method] = true
      draw(shown)
    end)
  end
  map('p', function()
    shown.tree.show_path = not shown.tree.show_path
    draw(shown)
  end)
end

-- windows lists the windows that show flasks.
local windows = {}

-- windows_of returns the windows that show flasks of a client.
local function windows_of(client_id)
  windows = vim.tbl_filter(function(shown) return api.nvim_win_is_valid(shown.window) end, windows)
  return vim.tbl_filter(function(shown) return shown.client == client_id end, windows)
end

local function name_sides(shown, c)
  local comparison = client.state(c).comparison or {}
  shown.subject = vim.fn.fnamemodify(comparison.subject or 'subject', ':t')
  shown.reference = vim.fn.fnamemodify(comparison.reference or 'reference', ':t')
end

local function show(c, flask)
  local shown = { client = c.id, tree = tree.new(flask), rows = {} }
  name_sides(shown, c)
  shown.window, shown.buffer = window.open(function() draw(shown) end)
  table.insert(windows, shown)
  keys(shown)
  draw(shown)
end

local function request(c, id, done)
  call(c, 'request', 'diffprof/flask', { task = id, minShare = 0.002 }, done, api.nvim_get_current_buf())
end

-- open requests a task's trees and shows them; an empty id is the whole run.
function M.open(c, id)
  request(c, id, function(err, flask)
    if err then
      vim.notify('diffprof: ' .. err.message, vim.log.levels.ERROR)
      return
    end
    show(c, flask)
  end)
end

-- choose shows a task's trees. If a lens has several tasks, the user chooses one.
function M.choose(c, id, tasks)
  if not tasks or #tasks < 2 then
    return M.open(c, id)
  end
  local params = { limit = #tasks, filter = { tasks = tasks } }
  call(c, 'request', 'diffprof/tasks', params, function(err, result)
    if err then
      vim.notify('diffprof: ' .. err.message, vim.log.levels.ERROR)
      return
    end
    vim.ui.select(result.tasks, { prompt = 'Task:', format_item = function(t) return t.message end }, function(t)
      if t then
        M.open(c, t.id)
      end
    end)
  end, api.nvim_get_current_buf())
end

-- outdate marks a client's windows as outdated: they show an earlier comparison.
function M.outdate(client_id)
  for _, shown in ipairs(windows_of(client_id)) do
    shown.stale = true
    draw(shown)
  end
end

-- refresh updates a client's windows to the last comparison.
function M.refresh(c)
  for _, shown in ipairs(windows_of(c.id)) do
    request(c, shown.tree.flask.task, function(err, flask)
      if not api.nvim_win_is_valid(shown.window) then
        return
      end
      shown.stale = err ~= nil
      if not err then
        name_sides(shown, c)
        local row = current(shown)
        shown.tree, row = tree.replace(shown.tree, flask, row)
        -- Map the rows of the old lines to rows of the new lines.
        shown.rows = { [api.nvim_win_get_cursor(shown.window)[1] - heading_lines] = row }
      end
      draw(shown)
    end)
  end
end

return M
