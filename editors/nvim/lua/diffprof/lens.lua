-- Code lenses. They are requested when they may have changed.
local call = require('diffprof.compat').call

local M = {}

local lsp = vim.lsp
local asked = {} -- the number of the last request, by buffer and client

-- builtin is set if Neovim itself requests lenses.
local function builtin()
  return lsp.codelens.enable ~= nil
end

-- clear removes the lenses of a client from a buffer.
function M.clear(bufnr, client_id)
  if builtin() or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  if lsp.codelens.clear then
    lsp.codelens.clear(client_id, bufnr)
    return
  end
  -- Before Neovim 0.8 nothing clears lenses, and an empty answer leaves the old ones.
  vim.api.nvim_buf_clear_namespace(bufnr, vim.api.nvim_create_namespace('vim_lsp_codelens:' .. client_id), 0, -1)
end

-- refresh requests a buffer's lenses again.
function M.refresh(client, bufnr)
  if builtin() or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local key = bufnr .. '/' .. client.id
  asked[key] = (asked[key] or 0) + 1
  local number, tick = asked[key], vim.api.nvim_buf_get_changedtick(bufnr)
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  call(client, 'request', 'textDocument/codeLens', params, function(err, result, ctx)
    -- Drop an outdated answer, since its lines may have moved. A newer request is under way, or
    -- follows when typing ends.
    if err or asked[key] ~= number or not vim.api.nvim_buf_is_loaded(bufnr)
      or vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then
      return
    end
    ctx.bufnr = bufnr
    lsp.codelens.on_codelens(nil, result or {}, ctx)
    if not result or #result == 0 then
      M.clear(bufnr, client.id)
    end
  end, bufnr)
end

-- refresh_all requests the lenses of all buffers that a client serves.
function M.refresh_all(client)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and lsp.buf_is_attached(bufnr, client.id) then
      M.refresh(client, bufnr)
    end
  end
end

-- attach keeps a buffer's lenses up to date.
function M.attach(client, bufnr)
  if builtin() then
    lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  local group = vim.api.nvim_create_augroup('diffprof_lens_' .. bufnr, { clear = true })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      local c = lsp.get_client_by_id(client.id)
      if c and lsp.buf_is_attached(bufnr, client.id) then
        M.refresh(c, bufnr)
      end
    end,
  })
  M.refresh(client, bufnr)
end

-- at returns the lenses on a line, counted from 0.
function M.at(bufnr, line)
  local found = {}
  for _, item in ipairs(lsp.codelens.get(builtin() and { bufnr = bufnr } or bufnr) or {}) do
    local lens = item.lens or item
    if lens.range.start.line == line then
      table.insert(found, lens)
    end
  end
  return found
end

return M
