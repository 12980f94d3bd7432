-- The packages of both traces, and whose code each is.
local client = require('diffprof.client')
local energy = require('diffprof.energy')
local window = require('diffprof.window')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('diffprof_packages')

-- bys are words for what decided. A rule of the settings is shown as it is.
local bys = {
  table = 'the built-in table',
  default = 'nothing else names it',
  caller = 'whoever calls it',
}

-- render returns the lines: a title, a heading, and one for each package.
function M.render(packages, names)
  local width = #'package'
  for _, p in ipairs(packages.packages) do
    width = math.max(width, vim.fn.strdisplaywidth(p.name))
  end
  local lines = {
    (' Packages of %s, and whose code each is taken for: appPackages and frameworkPackages change it'):format(names),
    ('    share     energy  methods  whose      package' .. (' '):rep(width - #'package') .. '  because of'),
  }
  for _, p in ipairs(packages.packages) do
    local amount = energy.text(p.energyNJ, packages)
    local name = p.name == '' and '–' or p.name
    table.insert(lines, ('  %6s  %s%s  %7d  %-9s  %s%s  %s'):format(
      energy.percent(p.share),
      (' '):rep(11 - vim.fn.strdisplaywidth(amount)), amount,
      p.methods,
      p.class == '' and '–' or p.class,
      name, (' '):rep(width - vim.fn.strdisplaywidth(name)),
      bys[p.rule] or p.rule
    ))
  end
  return lines
end

-- open shows the packages that the server listed.
function M.open(c, packages)
  local comparison = client.state(c).comparison or {}
  local function name(path, otherwise)
    return vim.fn.fnamemodify(path or otherwise, ':t')
  end
  local lines = M.render(packages, name(comparison.subject, 'the subject') .. ' and ' .. name(comparison.reference, 'the reference'))
  local at, buffer = window.open(function() end)
  window.write(buffer, namespace, lines, { 'DiffprofMethod', 'DiffprofHeading' })
  api.nvim_win_set_cursor(at, { math.min(3, #lines), 0 })
end

return M
