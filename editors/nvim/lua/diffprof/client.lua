-- The language clients, one for each root.
local call = require('diffprof.compat').call
local config = require('diffprof.config')
local heat = require('diffprof.heat')
local lens = require('diffprof.lens')

local M = {}

local lsp = vim.lsp
local name = 'diffprof'
local clients = {} -- the ids of clients that this file starts, by root
local complained = false

-- states has the state of each client's server, by client id: the last comparison that succeeded,
-- the error of a later one, the progress of the running one, the function to call when that ends,
-- and the list of tasks on screen.
local states = {}

function M.state(client)
  states[client.id] = states[client.id] or { progress = {} }
  return states[client.id]
end

-- wrong returns the errors in a client's diffprof.yaml, each as {path, lnum, col, message}.
function M.wrong(client)
  local found = {}
  local namespace = lsp.diagnostic.get_namespace(client.id)
  for _, d in ipairs(vim.diagnostic.get(nil, { namespace = namespace })) do
    local path = vim.api.nvim_buf_get_name(d.bufnr)
    if d.severity == vim.diagnostic.severity.ERROR and vim.fn.fnamemodify(path, ':t') == 'diffprof.yaml' then
      table.insert(found, { path = path, lnum = d.lnum, col = d.col, message = d.message })
    end
  end
  return found
end

-- failure returns the reason why the last comparison failed or is missing, or nil.
function M.failure(client)
  local state = M.state(client)
  if state.failure then
    return state.failure
  end
  local wrong = not state.comparison and M.wrong(client)[1]
  return wrong and ('diffprof.yaml, line %d: %s'):format(wrong.lnum + 1, wrong.message) or nil
end

local function get(id)
  return id and lsp.get_client_by_id(id)
end

-- all returns the clients that run, in the order in which they began.
function M.all()
  local running = (lsp.get_clients or lsp.get_active_clients)()
  local found = {}
  for _, client in pairs(running) do
    if client.name == name and not M.stopped(client) then
      table.insert(found, client)
    end
  end
  table.sort(found, function(a, b) return a.id < b.id end)
  return found
end

function M.stopped(client)
  return call(client, 'is_stopped')
end

-- attached returns the client of a buffer, or nil.
function M.attached(bufnr)
  for _, client in ipairs(M.all()) do
    if lsp.buf_is_attached(bufnr, client.id) then
      return client
    end
  end
end

local function handlers(own)
  local function default(method)
    return lsp.handlers[method]
  end
  return vim.tbl_extend('force', {
    ['diffprof/didCompare'] = function(_, result, ctx)
      local client = get(ctx.client_id)
      if not client then
        return
      end
      M.state(client).failure = result.error
      if not result.error then
        M.state(client).comparison = result
        require('diffprof.flask').refresh(client)
      end
      if config.current.code_lens then
        lens.refresh_all(client)
      end
      M.announce('DiffprofDidCompare')
      local compared = M.state(client).compared
      M.state(client).compared = nil
      if compared then
        compared()
      end
    end,
    ['diffprof/didChange'] = function(_, _, ctx)
      local client = get(ctx.client_id)
      if client then
        require('diffprof.tasks').renew(client)
        heat.refresh_all(client)
      end
    end,
    ['workspace/codeLens/refresh'] = function(err, result, ctx, more)
      local client = get(ctx.client_id)
      if client and config.current.code_lens then
        lens.refresh_all(client)
      end
      local builtin = default('workspace/codeLens/refresh')
      if builtin then
        return builtin(err, result, ctx, more)
      end
      return vim.NIL
    end,
    ['$/progress'] = function(err, result, ctx, more)
      local client = get(ctx.client_id)
      if client and type(result.value) == 'table' then
        local progress, token = M.state(client).progress, result.token
        if result.value.kind == 'end' then
          progress[token] = nil
        else
          progress[token] = vim.tbl_extend('force', progress[token] or {}, result.value)
        end
        M.announce('DiffprofProgress')
      end
      local builtin = default('$/progress')
      if builtin then
        return builtin(err, result, ctx, more)
      end
    end,
  }, own or {})
end

-- announce runs autocommands, if there are any.
function M.announce(pattern)
  vim.api.nvim_exec_autocmds('User', { pattern = pattern, modeline = false })
end

local function capabilities(own)
  local c = vim.deepcopy(own or lsp.protocol.make_client_capabilities())
  c.workspace = c.workspace or {}
  c.workspace.codeLens = c.workspace.codeLens or {}
  c.workspace.codeLens.refreshSupport = true
  -- The server sends its own notifications only to clients that request them.
  c.experimental = vim.tbl_extend('force', c.experimental or {}, { diffprof = { notifications = true } })
  return c
end

-- attach_project attaches a client to its root's diffprof.yaml, so that it sees edits.
local function attach_project(client)
  local path = (client.config.root_dir or '') .. '/diffprof.yaml'
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_name(bufnr) == path
      and not lsp.buf_is_attached(bufnr, client.id) then
      lsp.buf_attach_client(bufnr, client.id)
    end
  end
end

-- configuration returns the configuration of a client. Each way to start a client uses it.
local function configuration()
  local c = config.current
  return {
    name = name,
    cmd = c.cmd,
    filetypes = c.filetypes,
    init_options = config.settings(),
    settings = { diffprof = config.settings() },
    capabilities = capabilities(c.capabilities),
    handlers = handlers(c.handlers),
    on_attach = function(client, bufnr)
      if not vim.tbl_contains(c.filetypes, vim.bo[bufnr].filetype) then
        return -- diffprof.yaml
      end
      attach_project(client)
      if c.code_lens then
        lens.attach(client, bufnr)
      end
      heat.refresh(client, bufnr)
      if c.on_attach then
        c.on_attach(client, bufnr)
      end
    end,
    on_exit = function(_, _, id)
      states[id] = nil
      for root, other in pairs(clients) do
        if other == id then
          clients[root] = nil
        end
      end
      -- Neovim clears diagnostics and lenses of attached buffers only. It cannot clear all
      -- diagnostics at once if some belong to a buffer that was wiped out.
      vim.schedule(function()
        require('diffprof.flask').outdate(id)
        for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
          vim.diagnostic.reset(lsp.diagnostic.get_namespace(id), bufnr)
          lens.clear(bufnr, id)
          heat.clear(bufnr)
        end
      end)
    end,
  }
end

-- runnable reports whether the program exists; if not, it shows a message once.
function M.runnable()
  local program = config.current.cmd[1]
  if vim.fn.executable(program) == 1 then
    complained = false
    return true
  end
  if not complained then
    complained = true
    vim.notify(("diffprof: found no program %q on the PATH; see :checkhealth diffprof"):format(program), vim.log.levels.WARN)
  end
  return false
end

-- start returns the id of the client of a root, and starts one if necessary. bufnr may be
-- nil.
function M.start(root, bufnr)
  if not M.runnable() then
    return nil
  end
  for _, client in ipairs(M.all()) do
    if client.config.root_dir == root then
      clients[root] = client.id
    end
  end
  local id = clients[root]
  if id and get(id) and M.stopped(get(id)) then
    id = nil
  end
  if not id then
    local c = configuration()
    c.root_dir = root
    c.workspace_folders = { { uri = vim.uri_from_fname(root), name = root } }
    if vim.fn.has('nvim-0.11') == 1 then
      -- Without this function, Neovim would reuse a client that is about to end.
      local function never()
        return false
      end
      id = lsp.start(c, { attach = false, reuse_client = never })
    else
      id = lsp.start_client(c)
    end
    clients[root] = id
  end
  if id and bufnr and not lsp.buf_is_attached(bufnr, id) then
    lsp.buf_attach_client(bufnr, id)
  end
  return id
end

-- attach starts a buffer's client if it belongs to a root.
function M.attach(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  if path == '' or vim.bo[bufnr].buftype ~= '' or path:find('^%w+://') then
    return
  end
  local root = config.root(path)
  if root then
    M.start(root, bufnr)
  end
end

-- register makes Neovim start clients for the filetypes. It returns the name of the interface that
-- it used.
function M.register()
  local c = config.current
  -- The commands are registered for all clients, because nvim-lspconfig turns commands of a single
  -- client into user commands.
  lsp.commands['diffprof.showTask'] = function(command, ctx)
    local argument = (command.arguments or {})[1] or {}
    require('diffprof.flask').choose(get(ctx.client_id), argument.task, argument.tasks)
  end
  local group = vim.api.nvim_create_augroup('diffprof', { clear = true })
  if lsp.config and lsp.enable then
    local server = configuration()
    -- Include diffprof.yaml: Neovim detaches clients from filetypes that they do not list.
    server.filetypes = vim.list_extend({ 'yaml' }, c.filetypes)
    server.root_dir = function(bufnr, found)
      local path = vim.api.nvim_buf_get_name(bufnr)
      local root = (vim.bo[bufnr].filetype ~= 'yaml' or vim.fn.fnamemodify(path, ':t') == 'diffprof.yaml') and config.root(path)
      if root then
        found(root)
      end
    end
    server.reuse_client = function(client, wanted)
      return client.name == name and client.config.root_dir == wanted.root_dir and not M.stopped(client)
    end
    lsp.config(name, server)
    lsp.enable(name)
    -- Neovim shows no message for a missing program.
    vim.api.nvim_create_autocmd('FileType', {
      group = group,
      pattern = c.filetypes,
      callback = function(event)
        if vim.bo[event.buf].buftype == '' and config.root(event.file) then
          M.runnable()
        end
      end,
    })
    return 'vim.lsp.enable'
  end
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = group,
    pattern = 'diffprof.yaml',
    callback = function(event)
      local root = vim.fn.fnamemodify(event.match, ':p:h')
      for _, client in ipairs(M.all()) do
        if client.config.root_dir == root then
          lsp.buf_attach_client(event.buf, client.id)
        end
      end
    end,
  })
  local found, configs = pcall(require, 'lspconfig.configs')
  if c.lspconfig and found then
    local server = configuration()
    server.root_dir = config.root
    configs[name] = { default_config = server, docs = { description = 'Differential energy profiles of Android apps.' } }
    require('lspconfig')[name].setup({ on_attach = server.on_attach })
    return 'nvim-lspconfig'
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = c.filetypes,
    callback = function(event) M.attach(event.buf) end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.tbl_contains(c.filetypes, vim.bo[bufnr].filetype) then
      M.attach(bufnr)
    end
  end
  return 'vim.lsp'
end

-- pick returns the client for a command: the buffer's client, or else the only client, or else the
-- client of the working folder's root.
function M.pick(bufnr)
  local client = M.attached(bufnr)
  local running = M.all()
  if client or #running == 1 then
    return client or running[1]
  end
  local folder = vim.fn.getcwd()
  for _, other in ipairs(running) do
    local root = other.config.root_dir
    if root and (folder == root or folder:sub(1, #root + 1) == root .. '/') then
      return other
    end
  end
end

return M
