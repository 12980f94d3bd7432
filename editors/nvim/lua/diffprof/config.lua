-- The options: the defaults, overridden by the options given to setup.
local M = {}

---@class diffprof.Options
---@field cmd? string[]
---@field subject? string
---@field reference? string
---@field settings? diffprof.Settings
---@field filetypes? string[]
---@field root_markers? (string|string[])[]
---@field code_lens? boolean
---@field lspconfig? boolean
---@field capabilities? table
---@field handlers? table
---@field on_attach? function

local defaults = {
  cmd = { 'diffprof', 'lsp' },
  -- Settings of the server, by name. :help diffprof-settings lists them.
  settings = {},
  filetypes = { 'java', 'kotlin' },
  -- Groups of markers, the most important one first. The root of a file is the nearest folder above
  -- it that contains a marker of the first group. If there is no such folder, the next group counts.
  root_markers = {
    'diffprof.yaml',
    { 'settings.gradle', 'settings.gradle.kts' },
    { 'build.gradle', 'build.gradle.kts' },
    '.git',
  },
  -- Request code lenses when they may have changed.
  code_lens = true,
  -- Register with nvim-lspconfig if it is installed and Neovim has no vim.lsp.enable.
  lspconfig = true,
}

local kinds = {
  cmd = 'table',
  subject = 'string',
  reference = 'string',
  settings = 'table',
  filetypes = 'table',
  root_markers = 'table',
  code_lens = 'boolean',
  lspconfig = 'boolean',
  capabilities = 'table',
  handlers = 'table',
  on_attach = 'function',
}

-- current holds the options; nil before setup.
M.current = nil

-- apply checks options and makes them current. It raises an error for the first invalid option.
function M.apply(options)
  options = options or {}
  for name, value in pairs(options) do
    if not kinds[name] then
      local known = vim.tbl_keys(kinds)
      table.sort(known)
      error(('diffprof.setup: unknown option %q; the options are %s'):format(tostring(name), table.concat(known, ', ')), 0)
    end
    if type(value) ~= kinds[name] then
      error(('diffprof.setup: %s must be a %s'):format(name, kinds[name]), 0)
    end
  end
  local c = {}
  for name, value in pairs(defaults) do
    c[name] = vim.deepcopy(value)
  end
  for name, value in pairs(options) do
    c[name] = value
  end
  M.current = c
  return c
end

-- get returns the options. Before setup it shows a message and returns nil.
function M.get()
  if not M.current then
    vim.notify("diffprof: call require('diffprof').setup{} first; see :help diffprof-setup", vim.log.levels.ERROR)
  end
  return M.current
end

-- expanded replaces ~ at the beginning of a value by the home folder, because the server does not
-- expand it. Only paths begin with ~.
local function expanded(value)
  if type(value) == 'string' and value:sub(1, 1) == '~' then
    return vim.fn.expand(value)
  end
  if type(value) == 'table' and next(value) ~= nil then
    return vim.tbl_map(expanded, value)
  end
  return value
end

-- settings returns the settings to send to the server, by name. Without settings it is an empty
-- JSON object, not a list.
function M.settings()
  local c = M.current
  local all = { subject = c.subject, reference = c.reference }
  all = expanded(vim.tbl_extend('keep', all, c.settings))
  return next(all) and all or vim.empty_dict()
end

-- root returns the folder that a file belongs to, or nil.
function M.root(path)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  for _, group in ipairs(M.current.root_markers) do
    local at = folder
    while true do
      for _, marker in ipairs(type(group) == 'table' and group or { group }) do
        if (vim.uv or vim.loop).fs_stat(at .. '/' .. marker) then
          return at
        end
      end
      local above = vim.fn.fnamemodify(at, ':h')
      if above == at then
        break
      end
      at = above
    end
  end
  return nil
end

return M
