-- The ranked tasks and app code as a quickfix list.
local call = require('diffprof.compat').call
local client = require('diffprof.client')
local energy = require('diffprof.energy')

local M = {}

-- The server sends at most this number of rows per request.
local most = 1000

-- signs are the verdicts as one character, as in the reports.
local signs = { ['only here'] = '+', perhaps = '?', ['dearer here'] = '>', ['cheaper here'] = '<', ['the same'] = '=', unclear = '~' }

local function known(value)
  return value ~= nil and value ~= vim.NIL
end

-- The words for listing options, with their options.
local orders = {
  saving = function(a, b) return a.rank < b.rank end,
  place = function(a, b) return #a.locations > 0 and #b.locations == 0 end,
  energy = function(a, b) return a.energyNJ > b.energyNJ end,
  calls = function(a, b) return a.count > b.count end,
  name = function(a, b) return a.short < b.short end,
}
local groups = { method = true, caller = true, package = true }

-- words are the options of :DiffprofTasks, for completion.
M.words = { 'own', 'sort=saving', 'sort=place', 'sort=energy', 'sort=calls', 'sort=name', 'group=method', 'group=caller', 'group=package' }

-- parse separates the listing options in a command's text from the text to search for. It returns
-- nil and a message for an unknown option.
function M.parse(text)
  local how, sought = { sort = 'saving' }, {}
  for word in (text or ''):gmatch('%S+') do
    local name, value = word:match('^(%l+)=(.*)$')
    if word == 'own' then
      how.own = true
    elseif name == 'sort' and orders[value] then
      how.sort = value
    elseif name == 'group' and groups[value] then
      how.group = value
    elseif name == 'sort' or name == 'group' then
      return nil, ('unknown option %s; use one of %s'):format(word, table.concat(M.words, ', '))
    else
      table.insert(sought, word)
    end
  end
  how.text = table.concat(sought, ' ')
  return how
end

-- own returns the app's own method that calls a task, or nil.
local function own(task)
  for _, caller in ipairs(task.callers) do
    if known(caller.own) and caller.own then
      return caller.own.method
    end
  end
end

-- rows makes one list of tasks and app code. The callers of app code are its parts.
local function rows(tasks, code)
  local list = {}
  local function add(row, methods)
    row.short = (methods[row.method] or {}).short or row.method
    row.methods = methods
    row.count = known(row.calls) and row.calls or 0
    row.place = #list
    table.insert(list, row)
  end
  for _, task in ipairs(tasks.tasks) do
    add(task, tasks.methods)
  end
  for _, row in ipairs(code.appCode) do
    row.code, row.callers = true, {}
    for _, part in ipairs(row.parts) do
      table.insert(row.callers, { method = part.method, own = part.own and { method = part.method } or nil })
    end
    add(row, code.methods)
  end
  return list
end

-- sort orders rows; equal rows keep the server's order.
local function sort(list, by)
  local less = orders[by]
  table.sort(list, function(a, b)
    if less(a, b) then
      return true
    end
    return not less(b, a) and a.place < b.place
  end)
end

-- nest returns rows with their depth. A row inside another row follows that row.
local function nest(list)
  local at, inner, out = {}, {}, {}
  for _, row in ipairs(list) do
    at[row.id] = row
  end
  for _, row in ipairs(list) do
    local outer = known(row.inside) and at[row.inside] or nil
    inner[outer or list] = inner[outer or list] or {}
    table.insert(inner[outer or list], row)
  end
  -- A task is above all tasks inside it, so the loop ends. The stack may become as deep as the tasks.
  local stack = {}
  local function push(of, depth)
    for i = #(inner[of] or {}), 1, -1 do
      table.insert(stack, { inner[of][i], depth })
    end
  end
  push(list, 0)
  while #stack > 0 do
    local row, depth = unpack(table.remove(stack))
    row.depth = depth
    table.insert(out, row)
    push(row, depth + 1)
  end
  return out
end

-- heading names the group of a row.
local function heading(row, group)
  if group == 'method' then
    return row.short
  end
  local label = own(row) or (row.callers[1] or {}).method
  if not label then
    return '(no caller)'
  end
  local method = row.methods[label] or {}
  if group == 'caller' then
    return method.short or label
  end
  return method.scope ~= '' and method.scope or '(no package)'
end

-- spaces returns the spaces that pad a text to the width of a column.
local function spaces(text, width)
  return (' '):rep(width - vim.fn.strdisplaywidth(text))
end

-- doubt returns the reason why a row that costs more is not a finding. It returns "" for all other
-- rows.
local function doubt(row)
  return (row.whyNotMessage or '') ~= '' and '; no finding: ' .. row.whyNotMessage or ''
end

-- brief returns the short line that the window shows for a row: its sign, its saving as a share of
-- the run, its name and its caller. The quickfix item has the whole message.
local function brief(row, total, item, n)
  local place = item and ('%s:%d'):format(vim.fn.fnamemodify(item.filename, ':t'), item.lnum) or '(not in these sources)'
  local stale = item and row.locations[n].stale ~= '' and '  changed since' or ''
  if n > 1 then
    return (' '):rep(10) .. 'also  ' .. place .. stale
  end
  local name = ('  '):rep(row.depth or 0) .. row.short .. (row.code and ' by itself' or '') .. (known(row.suspect) and ', suspect' or '')
  local share = row.savingNJ == 0 and '' or (row.savingNJ < 0 and '−' or '') .. energy.percent(math.abs(row.savingNJ) / total)
  local label = not row.code and (own(row) or (row.callers[1] or {}).method)
  local from = label and '  from ' .. ((row.methods[label] or {}).short or label) or ''
  return table.concat({ signs[row.verdict] or ' ', ' ', spaces(share, 7), share, '  ', name, spaces(name, 38), '  ', place, stale, from, doubt(row) })
end

-- items returns the quickfix items of a row, one for each of its places in the sources.
local function items(row, encoding, total)
  local out = {}
  local indent = ('  '):rep(row.depth or 0)
  local suspect = known(row.suspect) and ('; suspect: %s'):format(row.suspect.message) or ''
  local text = ('%s%s %s%s'):format(indent, signs[row.verdict] or ' ', row.message, doubt(row) .. suspect)
  for n, location in ipairs(row.locations) do
    -- Add them one by one: Neovim would sort a list by file.
    local item = vim.lsp.util.locations_to_items({ location }, encoding)[1]
    if item then
      item.text = n > 1 and ('%s  also: %s'):format(indent, row.short) or text
      if location.stale ~= '' then
        item.text = item.text .. ' (' .. location.stale .. ')'
      end
      table.insert(out, item)
      item.brief = brief(row, total, item, n)
    end
  end
  if #out == 0 then
    table.insert(out, { text = text, valid = 0, brief = brief(row, total, nil, 1) })
  end
  return out
end

-- outside returns a line with the energy of the run outside tasks.
local function outside(parts)
  local texts, sum = {}, 0
  for _, part in ipairs(parts) do
    if part.energyNJ ~= 0 then
      table.insert(texts, ('%s %s'):format(part.name, energy.percent(part.share)))
      sum = sum + part.share
    end
  end
  return #texts > 0 and { text = ('outside tasks %s: %s'):format(energy.percent(sum), table.concat(texts, ', ')), valid = 0 } or nil
end

-- lines returns the text of each line of the quickfix window, for quickfixtextfunc. Vim writes a
-- line itself if its text is ''.
function M.lines(info)
  local context = vim.fn.getqflist({ id = info.id, context = 0 }).context
  local briefs = type(context) == 'table' and context.lines or {}
  local out = {}
  for i = info.start_idx, info.end_idx do
    table.insert(out, briefs[i] or '')
  end
  return out
end

-- fill writes a quickfix list. ids has the id of each line's task, '' for a line without a task.
local function fill(c, action, title, list, ids, idx)
  local briefs = {}
  for i, item in ipairs(list) do
    briefs[i], item.brief = item.brief or (item.filename and '' or item.text), nil
  end
  vim.fn.setqflist({}, action, {
    title = title, items = list, context = { diffprof = ids, lines = briefs, client = c.id },
    quickfixtextfunc = M.lines, idx = idx,
  })
end

-- show opens a new quickfix list.
local function show(c, title, list, ids)
  fill(c, ' ', title, list, ids, 1)
  vim.cmd('botright copen')
end

-- awaited reports whether a client's server compares now, or will compare once it has read
-- diffprof.yaml.
local function awaited(c)
  for _, work in pairs(client.state(c).progress) do
    if work.title == 'diffprof: comparing' then
      return true
    end
  end
  local ok, project = pcall(vim.fn.readfile, (c.config.root_dir or '') .. '/diffprof.yaml')
  return ok and table.concat(project, '\n'):find('%f[%w]reference:') ~= nil
end

-- open_failure opens a list with the reason why nothing was compared, and the errors in
-- diffprof.yaml.
local function open_failure(c, reason)
  local list, ids = { { text = 'not compared: ' .. reason, valid = 0 } }, { '' }
  for _, d in ipairs(client.wrong(c)) do
    table.insert(list, { filename = d.path, lnum = d.lnum + 1, col = d.col + 1, text = d.message })
    table.insert(ids, '')
  end
  show(c, 'diffprof: not compared', list, ids)
end

-- listed writes the requested rows as lines.
local function listed(c, how, tasks, code)
  local total = math.max(tasks.comparison.energyNJ, 1)
  local all = rows(tasks, code)
  if how.own then
    all = vim.tbl_filter(own, all)
  end
  sort(all, how.sort)
  local list, ids = {}, {}
  local function add(row)
    for _, item in ipairs(items(row, c.offset_encoding, total)) do
      table.insert(list, item)
      table.insert(ids, row.code and '' or row.id)
    end
  end
  if how.group then
    local names, of = {}, {}
    for _, row in ipairs(all) do
      local name = heading(row, how.group)
      if not of[name] then
        of[name] = {}
        table.insert(names, name)
      end
      table.insert(of[name], row)
    end
    for _, name in ipairs(names) do
      local drained = 0
      for _, row in ipairs(of[name]) do
        drained = drained + row.ownNJ
      end
      local share = drained / total
      table.insert(list, { text = ('%s: %d, %s of the run'):format(name, #of[name], energy.percent(share)), valid = 0 })
      table.insert(ids, '')
      for _, row in ipairs(of[name]) do
        row.depth = 1
        add(row)
      end
    end
  else
    for _, row in ipairs(nest(all)) do
      add(row)
    end
  end
  local rest = #list > 0 and how.text == '' and not how.own and outside(code.outside)
  if rest then
    table.insert(list, rest)
    table.insert(ids, '')
  end
  return list, ids
end

-- fetch requests the tasks and app code that contain a text, and calls done with them.
local function fetch(c, sought, done)
  local bufnr = vim.api.nvim_get_current_buf()
  local function ask(method, params, take)
    call(c, 'request', method, params, function(err, result)
      if err then
        vim.notify('diffprof: ' .. err.message, vim.log.levels.ERROR)
        return
      end
      take(result)
    end, bufnr)
  end
  ask('diffprof/tasks', { limit = most, filter = { text = sought } }, function(tasks)
    if type(tasks.comparison) ~= 'table' then
      return done(nil)
    end
    ask('diffprof/appCode', { limit = most, text = sought }, function(code) done(tasks, code) end)
  end)
end

-- open lists tasks and app code. The text has the options of :DiffprofTasks.
function M.open(c, text)
  local how, wrong = M.parse(text)
  if not how then
    vim.notify('diffprof: ' .. wrong, vim.log.levels.ERROR)
    return
  end
  local state = client.state(c)
  fetch(c, how.text, function(tasks, code)
    local reason = client.failure(c)
    if not tasks then
      if reason then
        open_failure(c, reason)
      elseif awaited(c) then
        state.compared = function() M.open(c, text) end
        vim.notify('diffprof: comparing; the list opens afterwards')
      else
        vim.notify('diffprof: no comparison yet; see :help :DiffprofCompare', vim.log.levels.WARN)
      end
      return
    end
    local list, ids = listed(c, how, tasks, code)
    if #list == 0 then
      vim.fn.setqflist({}, ' ', { title = 'diffprof: 0 tasks', items = {} })
      vim.notify('diffprof: no tasks')
      return
    end
    if reason then
      table.insert(list, 1, { text = ('not compared: %s; the previous comparison is below'):format(reason), valid = 0 })
      table.insert(ids, 1, '')
    end
    local title = ('diffprof: %d tasks, %d own; %s'):format(tasks.total, code.total, tasks.comparison.sentences[1])
    if tasks.total > #tasks.tasks then
      title = title .. ('; the first %d'):format(#tasks.tasks)
    end
    show(c, title, list, ids)
    state.shown = { id = vim.fn.getqflist({ id = 0 }).id, size = #list, how = how }
  end)
end

-- unchanged returns the list with a client's tasks, if it is open and its lines have not changed.
local function unchanged(shown)
  local now = vim.fn.getqflist({ id = 0, winid = 0, size = 0, idx = 0, title = 0 })
  return shown and now.id == shown.id and now.size == shown.size and now.winid ~= 0 and now or nil
end

-- renew updates the open list, because places change when sources are read or edited. The cursor
-- keeps its position.
function M.renew(c)
  local shown = client.state(c).shown
  if not shown or not unchanged(shown) then
    return
  end
  shown.changes = (shown.changes or 0) + 1
  if shown.changes > 1 then
    return -- a renewal is running, and another one will follow
  end
  vim.defer_fn(function()
    local changes = shown.changes
    if client.stopped(c) then
      return
    end
    fetch(c, shown.how.text, function(tasks, code)
      local again = shown.changes > changes
      shown.changes = nil
      local now = tasks and unchanged(shown)
      if not now then
        return
      end
      local list, ids = listed(c, shown.how, tasks, code)
      vim.api.nvim_win_call(now.winid, function()
        local view = vim.fn.winsaveview()
        fill(c, 'r', now.title, list, ids, math.max(1, math.min(now.idx, #list)))
        vim.fn.winrestview(view)
      end)
      vim.cmd('redraw')
      shown.size = #list
      if again then
        M.renew(c)
      end
    end)
  end, 300)
end

-- current returns the task at the cursor in a quickfix window of tasks, and the id of its
-- client. The task is '' on a line without one.
function M.current()
  if vim.bo.buftype ~= 'quickfix' or vim.fn.getwininfo(vim.api.nvim_get_current_win())[1].loclist == 1 then
    return nil
  end
  local context = vim.fn.getqflist({ context = 0 }).context
  if type(context) ~= 'table' or not context.diffprof then
    return nil
  end
  return context.diffprof[vim.api.nvim_win_get_cursor(0)[1]], context.client
end

return M
