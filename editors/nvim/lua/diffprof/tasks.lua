-- The ranked tasks and app code as a quickfix list.
local call = require('diffprof.compat').call
local client = require('diffprof.client')
local energy = require('diffprof.energy')

local M = {}

-- The server sends no more at once.
local most = 1000

-- signs are the verdicts as one character, as in the reports.
local signs = { ['only here'] = '+', perhaps = '?', ['dearer here'] = '>', ['cheaper here'] = '<', ['the same'] = '=' }

-- The words that say how to list, and what each asks for.
local orders = {
  saving = function(a, b) return a.savingNJ > b.savingNJ end,
  energy = function(a, b) return a.energyNJ > b.energyNJ end,
  calls = function(a, b) return a.count > b.count end,
  name = function(a, b) return a.short < b.short end,
}
local groups = { method = true, caller = true, package = true }

-- words are those that :DiffprofTasks knows, for completion.
M.words = { 'own', 'sort=saving', 'sort=energy', 'sort=calls', 'sort=name', 'group=method', 'group=caller', 'group=package' }

-- parse takes the words that say how to list out of a command's text; all others are sought.
-- It returns nil and a message where a word is none.
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
      return nil, ('there is no %s; use one of %s'):format(word, table.concat(M.words, ', '))
    else
      table.insert(sought, word)
    end
  end
  how.text = table.concat(sought, ' ')
  return how
end

local function known(value)
  return value ~= nil and value ~= vim.NIL
end

-- own returns the app's own method that leads to a task, or nil.
local function own(task)
  for _, caller in ipairs(task.callers) do
    if known(caller.own) and caller.own then
      return caller.own.method
    end
  end
end

-- rows makes one list of tasks and app code. app code has its parts as callers.
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

-- sort orders rows; those that are equal keep their order, which is the server's.
local function sort(list, by)
  local less = orders[by]
  table.sort(list, function(a, b)
    if less(a, b) then
      return true
    end
    return not less(b, a) and a.place < b.place
  end)
end

-- nest returns rows with those that lie inside of another behind it, with their depth.
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
  -- A task lies above all tasks inside of it, so this ends; the stack may be as deep as they.
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

-- items returns a row's lines: its first place in the sources, then others.
local function items(row, encoding)
  local out = {}
  local indent = ('  '):rep(row.depth or 0)
  local text = ('%s%s %s'):format(indent, signs[row.verdict] or ' ', row.message)
  for n, location in ipairs(row.locations) do
    -- Add them one by one: Neovim would sort a list by file.
    local item = vim.lsp.util.locations_to_items({ location }, encoding)[1]
    if item then
      item.text = n > 1 and ('%s  also: %s'):format(indent, row.short) or text
      if location.stale ~= '' then
        item.text = item.text .. ' (' .. location.stale .. ')'
      end
      table.insert(out, item)
    end
  end
  if #out == 0 then
    table.insert(out, { text = text, valid = 0 })
  end
  return out
end

-- outside returns a line for what the run drains outside of tasks.
local function outside(parts)
  local texts, sum = {}, 0
  for _, part in ipairs(parts) do
    if part.energyNJ ~= 0 then
      table.insert(texts, ('%s %s'):format(part.name, energy.percent(part.share)))
      sum = sum + part.share
    end
  end
  return { text = ('outside of tasks %s: %s'):format(energy.percent(sum), table.concat(texts, ', ')), valid = 0 }
end

-- show fills the quickfix list; ids has the task of each line, '' for a line without one.
local function show(c, title, list, ids)
  vim.fn.setqflist({}, ' ', { title = title, items = list, context = { diffprof = ids, client = c.id } })
  vim.cmd('botright copen')
end

-- open_failure lists why nothing was compared, with the lines of diffprof.yaml that are wrong.
local function open_failure(c, reason)
  local list, ids = { { text = 'not compared: ' .. reason, valid = 0 } }, { '' }
  for _, d in ipairs(client.wrong(c)) do
    table.insert(list, { filename = d.path, lnum = d.lnum + 1, col = d.col + 1, text = d.message })
    table.insert(ids, '')
  end
  show(c, 'diffprof: not compared', list, ids)
end

-- listed writes the rows that are asked for as lines.
local function listed(c, how, tasks, code)
  local all = rows(tasks, code)
  if how.own then
    all = vim.tbl_filter(own, all)
  end
  sort(all, how.sort)
  local list, ids = {}, {}
  local function add(row)
    for _, item in ipairs(items(row, c.offset_encoding)) do
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
      local share = drained / math.max(tasks.comparison.energyNJ, 1)
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
  return list, ids
end

-- open lists tasks and app code as the words of a text say.
function M.open(c, text)
  local how, wrong = M.parse(text)
  if not how then
    vim.notify('diffprof: ' .. wrong, vim.log.levels.ERROR)
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local function ask(method, params, done)
    call(c, 'request', method, params, function(err, result)
      if err then
        vim.notify('diffprof: ' .. err.message, vim.log.levels.ERROR)
        return
      end
      done(result)
    end, bufnr)
  end
  ask('diffprof/tasks', { limit = most, filter = { text = how.text } }, function(tasks)
    local reason = client.failure(c)
    if type(tasks.comparison) ~= 'table' then
      if reason then
        open_failure(c, reason)
      else
        vim.notify('diffprof: nothing is compared yet; see :help :DiffprofCompare', vim.log.levels.WARN)
      end
      return
    end
    ask('diffprof/appCode', { limit = most, text = how.text }, function(code)
      local list, ids = listed(c, how, tasks, code)
      if #list == 0 then
        vim.fn.setqflist({}, ' ', { title = 'diffprof: 0 tasks', items = {} })
        vim.notify('diffprof: no tasks')
        return
      end
      if reason then
        table.insert(list, 1, { text = ('not compared: %s; below is what was compared before'):format(reason), valid = 0 })
        table.insert(ids, 1, '')
      end
      if how.text == '' and not how.own then
        table.insert(list, outside(code.outside))
        table.insert(ids, '')
      end
      local title = ('diffprof: %d tasks, %d of app code; %s'):format(tasks.total, code.total, tasks.comparison.matched)
      if tasks.total > #tasks.tasks then
        title = title .. ('; the first %d'):format(#tasks.tasks)
      end
      show(c, title, list, ids)
    end)
  end)
end

-- current returns the task at the cursor in a quickfix window that lists tasks, '' where
-- the line has none, and the id of their client.
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
