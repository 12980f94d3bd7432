-- The packages of both traces with their owners, like the list of the command line.
local window = require('diffprof.window')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('diffprof_packages')

-- open shows the table that the server wrote.
function M.open(text)
  local lines = vim.split(vim.trim(text), '\n', { plain = true })
  vim.list_extend(lines, { '', 'appPackages, frameworkPackages and ownPackages in diffprof.yaml change the owner of a package.' })
  for i, line in ipairs(lines) do
    lines[i] = ' ' .. line
  end
  local _, buffer = window.open(function() end)
  window.write(buffer, namespace, lines, {})
  for i, line in ipairs(lines) do
    if line:find('^ package +code') then
      api.nvim_buf_set_extmark(buffer, namespace, i - 1, 0, { end_col = #line, hl_group = 'DiffprofHeading' })
    end
  end
end

return M
