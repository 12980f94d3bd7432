-- The ranked tasks as a quickfix list.
local call = require('diffprof.compat').call

local M = {}

-- The server sends no more at once.
local most = 1000

-- items returns a task's lines: its first place in the sources, then others.
local function items(task, encoding)
  local out = {}
  for n, location in ipairs(task.locations) do
    -- Add them one by one: Neovim would sort a list by file.
    local item = vim.lsp.util.locations_to_items({ location }, encoding)[1]
    if item then
      item.text = (n > 1 and '  also: ' or '') .. task.message
      if location.stale ~= '' then
        item.text = item.text .. ' (' .. location.stale .. ')'
      end
      table.insert(out, item)
    end
  end
  if #out == 0 then
    table.insert(out, { text = task.message, valid = 0 })
  end
  return out
end

-- open lists the tasks whose method or callers contain a text in their names.
function M.open(c, text)
  local params = { limit = most, filter = { text = text or '' } }
  call(c, 'request', 'diffprof/tasks', params, function(err, result)
    if err then
      vim.notify('diffprof: ' .. err.message, vim.log.levels.ERROR)
      return
    end
    if type(result.comparison) ~= 'table' then
      vim.notify('diffprof: nothing is compared yet; see :help :DiffprofCompare', vim.log.levels.WARN)
      return
    end
    local list, ids = {}, {}
    for _, task in ipairs(result.tasks) do
      for _, item in ipairs(items(task, c.offset_encoding)) do
        table.insert(list, item)
        table.insert(ids, task.id)
      end
    end
    local title = ('diffprof: %d tasks'):format(result.total)
    if result.total > #result.tasks then
      title = title .. (', the first %d'):format(#result.tasks)
    end
    vim.fn.setqflist({}, ' ', { title = title, items = list, context = { diffprof = ids, client = c.id } })
    if #list == 0 then
      vim.notify('diffprof: no tasks')
      return
    end
    vim.cmd('botright copen')
  end, vim.api.nvim_get_current_buf())
end

-- current returns the task at the cursor in a quickfix window that lists tasks, and
-- the id of their client.
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
