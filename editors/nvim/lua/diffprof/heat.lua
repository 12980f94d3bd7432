-- The energy of source lines: a coloured sign for each line, and its figure at the end of the line.
local call = require('diffprof.compat').call

local M = {}

local api = vim.api
local lsp = vim.lsp
local namespace = api.nvim_create_namespace('diffprof_heat')
local group = 'diffprof_heat' -- the group of the signs
local asked = {} -- the number of the last request, by buffer and client

-- colours has the colours from the least share to the largest: on a dark background, on a light one, and
-- in terminals of 256 colours. The extension for Visual Studio Code has the same colours.
local colours = {
  { '#4c90f0', '#1763cf', 69 },
  { '#4c67f0', '#1736cf', 63 },
  { '#9e4cf0', '#7317cf', 135 },
  { '#f04cba', '#cf1791', 206 },
  { '#f04c67', '#cf1736', 204 },
  { '#f0594c', '#cf2617', 203 },
}

-- define defines the highlight groups and the signs.
local function define()
  local column = vim.o.background == 'light' and 2 or 1
  for i, c in ipairs(colours) do
    api.nvim_set_hl(0, 'DiffprofHeat' .. i, { fg = c[column], ctermfg = c[3], default = true })
    vim.fn.sign_define('DiffprofHeat' .. i, { text = '▎', texthl = 'DiffprofHeat' .. i })
  end
  api.nvim_set_hl(0, 'DiffprofHeatUnknown', { link = 'Comment', default = true })
  api.nvim_set_hl(0, 'DiffprofHeatText', { link = 'Comment', default = true })
  vim.fn.sign_define('DiffprofHeat0', { text = '┊', texthl = 'DiffprofHeatUnknown' })
  vim.fn.sign_define('DiffprofHeatHatched', { text = '▨', texthl = 'DiffprofHeatUnknown' })
end

-- sign names the sign of a line. Lines that a meter did not determine are hatched, to distinguish
-- them from lines with few samples.
local function sign(line)
  return line.heat == 0 and line.provenance == 'fitted' and 'DiffprofHeatHatched' or 'DiffprofHeat' .. line.heat
end

-- clear removes the signs and figures from a buffer.
function M.clear(bufnr)
  if api.nvim_buf_is_valid(bufnr) then
    api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    vim.fn.sign_unplace(group, { buffer = bufnr })
  end
end

-- hinted reports whether Neovim shows inlay hints in a buffer, which have the same figures.
local function hinted(bufnr)
  return lsp.inlay_hint and lsp.inlay_hint.is_enabled and lsp.inlay_hint.is_enabled({ bufnr = bufnr }) or false
end

local function draw(bufnr, result)
  M.clear(bufnr)
  if not result.lineHeat then
    return
  end
  define()
  local last, texts = api.nvim_buf_line_count(bufnr), not hinted(bufnr)
  for _, line in ipairs(result.lines) do
    if line.line < last then
      vim.fn.sign_place(0, group, sign(line), bufnr, { lnum = line.line + 1, priority = 5 })
      if texts then
        local text = line.stale ~= '' and line.text .. ' · source changed' or line.text
        api.nvim_buf_set_extmark(bufnr, namespace, line.line, 0, { virt_text = { { text, 'DiffprofHeatText' } }, hl_mode = 'combine' })
      end
    end
  end
end

-- refresh requests the lines of a buffer and draws them. done gets the answer; it may be nil.
function M.refresh(client, bufnr, done)
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local key = bufnr .. '/' .. client.id
  asked[key] = (asked[key] or 0) + 1
  local number, tick = asked[key], api.nvim_buf_get_changedtick(bufnr)
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  call(client, 'request', 'diffprof/lines', params, function(err, result)
    if done and not err then
      done(result)
    end
    -- Drop an outdated answer, since its lines may have moved. The server announces the change.
    if err or asked[key] ~= number or not api.nvim_buf_is_loaded(bufnr) or api.nvim_buf_get_changedtick(bufnr) ~= tick then
      return
    end
    draw(bufnr, result)
  end, bufnr)
end

-- refresh_all requests the lines of all buffers of sources that a client serves.
function M.refresh_all(client)
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(bufnr) and lsp.buf_is_attached(bufnr, client.id) and vim.bo[bufnr].filetype ~= 'yaml' then
      M.refresh(client, bufnr)
    end
  end
end

return M
