-- The window that draws the two call trees of a task.
local client = require('diffprof.client')
local config = require('diffprof.config')
local lens = require('diffprof.lens')
local tree = require('diffprof.tree')

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

-- at_cursor returns the tasks at the cursor, as {task, text}: of the diagnostics
-- there, else of the line, else of the lenses on it.
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

local function place()
  local width = math.max(math.min(vim.o.columns - 4, 180), 20)
  local height = math.max(math.min(vim.o.lines - 5, 45), 5)
  return {
    relative = 'editor',
    style = 'minimal',
    border = 'rounded',
    width = width,
    height = height,
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
    col = math.max(math.floor((vim.o.columns - width) / 2) - 1, 0),
  }
end

-- statuses say of the task's own row what the trees say of it.
local statuses = {
  [0] = 'both do this task',
  [1] = 'the reference does this task with another method',
  [2] = 'the reference does no such task',
  [3] = 'the subject does no such task',
}

local function title(shown)
  local t = shown.tree
  if t.flask.task == '' then
    return ' The whole run'
  end
  local label = t.flask.labels[t.rows.label[t.method] + 1]
  return (' %s: %s · %s'):format(tree.short(label), statuses[t.rows.status[t.method]], label)
end

local heading_lines = 3

-- draw writes the lines anew; the cursor stays on its row.
local function draw(shown)
  local width = api.nvim_win_get_width(shown.window)
  local row = shown.rows and shown.rows[api.nvim_win_get_cursor(shown.window)[1] - heading_lines] or nil
  local out = tree.render(shown.tree, width, shown.figures)
  local lines = { title(shown), help, tree.heading(shown.subject, shown.reference, width) }
  vim.list_extend(lines, out.lines)
  shown.rows = out.rows
  vim.bo[shown.buffer].modifiable = true
  api.nvim_buf_set_lines(shown.buffer, 0, -1, false, lines)
  vim.bo[shown.buffer].modifiable = false
  api.nvim_buf_clear_namespace(shown.buffer, namespace, 0, -1)
  for i, group in ipairs({ 'DiffprofMethod', 'DiffprofPath', 'DiffprofHeading' }) do
    api.nvim_buf_add_highlight(shown.buffer, namespace, group, i - 1, 0, -1)
  end
  for _, m in ipairs(out.marks) do
    api.nvim_buf_add_highlight(shown.buffer, namespace, m[4], m[1] + heading_lines, m[2], m[3])
  end
  -- A row that is hidden now was below one that is not.
  row = row or shown.tree.method
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
  local function row()
    return shown.rows[api.nvim_win_get_cursor(shown.window)[1] - heading_lines]
  end
  local function fold(open, deep)
    return function()
      local i = row()
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
      -- The first rows are what the window is about.
      shown.tree.open[shown.tree.method] = true
      draw(shown)
    end)
  end
  map('p', function()
    shown.tree.show_path = not shown.tree.show_path
    draw(shown)
  end)
  local function close()
    if api.nvim_win_is_valid(shown.window) then
      api.nvim_win_close(shown.window, true)
    end
  end
  map('q', close)
  map('<Esc>', close)
end

local function show(c, flask)
  local comparison = client.state(c).comparison or {}
  local shown = { tree = tree.new(flask), figures = config.figures(c.config.root_dir) }
  shown.subject = vim.fn.fnamemodify(comparison.subject or 'subject', ':t')
  shown.reference = vim.fn.fnamemodify(comparison.reference or 'reference', ':t')
  shown.buffer = api.nvim_create_buf(false, true)
  vim.bo[shown.buffer].bufhidden = 'wipe'
  shown.window = api.nvim_open_win(shown.buffer, true, place())
  vim.wo[shown.window].wrap = false
  vim.wo[shown.window].cursorline = true
  vim.bo[shown.buffer].filetype = 'diffprof'
  keys(shown)
  draw(shown)
  api.nvim_create_autocmd('VimResized', {
    buffer = shown.buffer,
    callback = function()
      api.nvim_win_set_config(shown.window, place())
      draw(shown)
    end,
  })
end

-- open asks for a task's trees and shows them; an empty id is the whole run.
function M.open(c, id)
  lens.request(c, 'diffprof/flask', { task = id, minShare = 0.002 }, function(err, flask)
    if err then
      vim.notify('diffprof: ' .. err.message, vim.log.levels.ERROR)
      return
    end
    show(c, flask)
  end, api.nvim_get_current_buf())
end

return M
