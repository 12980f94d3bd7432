-- What setup was given, on top of the defaults.
local M = {}

local defaults = {
  cmd = { 'diffprof', 'lsp' },
  -- Settings of the server, by name, as docs/settings.md lists them.
  settings = {},
  filetypes = { 'java', 'kotlin' },
  -- In this order: a file belongs to the folder nearest above it that has a
  -- marker of the first group, else of the second, and so on.
  root_markers = {
    'diffprof.yaml',
    { 'settings.gradle', 'settings.gradle.kts' },
    { 'build.gradle', 'build.gradle.kts' },
    '.git',
  },
  -- Ask for code lenses when they may have changed.
  code_lens = true,
  -- Register with nvim-lspconfig, where it is installed and Neovim has no
  -- vim.lsp.enable.
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

-- current is nil before setup.
M.current = nil

-- apply checks options and makes them current. It throws a text that says what is
-- wrong with them.
function M.apply(options)
  options = options or {}
  for name, value in pairs(options) do
    if not kinds[name] then
      local known = vim.tbl_keys(kinds)
      table.sort(known)
      error(('diffprof.setup: there is no option %q; there are %s'):format(tostring(name), table.concat(known, ', ')), 0)
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

-- get returns the options, or nil and says what to do.
function M.get()
  if not M.current then
    vim.notify("diffprof: call require('diffprof').setup{} first; see :help diffprof-setup", vim.log.levels.ERROR)
  end
  return M.current
end

-- settings returns what the server is sent: an object also if it is empty.
function M.settings()
  local c = M.current
  local all = vim.tbl_extend('force', vim.empty_dict(), c.settings)
  for _, name in ipairs({ 'subject', 'reference' }) do
    local path = c[name] or all[name]
    if path then
      -- A shell's shorthand, which a server does not know. Other relative paths
      -- begin at the root.
      all[name] = path:sub(1, 1) == '~' and vim.fn.expand(path) or path
    end
  end
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
