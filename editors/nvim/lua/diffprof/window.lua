-- A window that floats over the others.
local M = {}

local api = vim.api

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

-- open shows a window and returns it and its buffer. The caller fills it by draw; this
-- file calls draw again when the screen's size changes.
function M.open(draw)
  local buffer = api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  local window = api.nvim_open_win(buffer, true, place())
  vim.wo[window].wrap = false
  vim.wo[window].cursorline = true
  vim.bo[buffer].filetype = 'diffprof'
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, function()
      if api.nvim_win_is_valid(window) then
        api.nvim_win_close(window, true)
      end
    end, { buffer = buffer, nowait = true, silent = true })
  end
  api.nvim_create_autocmd('VimResized', {
    buffer = buffer,
    callback = function()
      api.nvim_win_set_config(window, place())
      draw()
    end,
  })
  return window, buffer
end

-- write replaces the text of a buffer and sets its colours. groups has the highlight groups of the
-- first lines, and marks are {line, first byte, last byte, group}. Lines and bytes count from 0.
function M.write(buffer, namespace, lines, groups, marks)
  vim.bo[buffer].modifiable = true
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local function colour(line, first, last, group)
    api.nvim_buf_set_extmark(buffer, namespace, line, first, { end_col = last, hl_group = group })
  end
  for i, group in ipairs(groups) do
    colour(i - 1, 0, #lines[i], group)
  end
  for _, m in ipairs(marks or {}) do
    colour(unpack(m))
  end
end

return M
