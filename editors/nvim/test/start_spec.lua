-- Tests how clients start with the functions of each version of Neovim. Stubs replace the functions
-- that this Neovim lacks. Other tests start clients with missing parts.
local d = dofile('driver.lua')
local samples = vim.env.DIFFPROF_SAMPLES
local collector = samples .. '/player/app/src/main/java/com/pandora/android/stats/Collector.java'
local diffprof, client, config = require('diffprof'), require('diffprof.client'), require('diffprof.config')

d.test('commands before setup show what to do', function()
  vim.cmd('DiffprofTasks')
  d.match('message', d.messages[#d.messages], 'call require.*setup')
  vim.cmd('checkhealth diffprof')
  d.match('health', table.concat(d.lines(), '\n'), 'setup was not called')
  vim.cmd('bwipeout!')
end)

d.test('a missing program is reported once', function()
  diffprof.setup({ cmd = { '/nowhere/diffprof', 'lsp' } })
  local before = #d.messages
  vim.cmd('edit ' .. collector)
  vim.cmd('edit ' .. samples .. '/player/app/src/main/java/com/pandora/android/player/ElapsedTicker.java')
  d.equal('messages', #d.messages, before + 1)
  d.match('message', d.messages[#d.messages], 'no program "/nowhere/diffprof"')
  vim.cmd('checkhealth diffprof')
  d.match('health', table.concat(d.lines(), '\n'), 'ERROR:? .*found no program')
  vim.cmd('%bwipeout!')
end)

d.test('roots: diffprof.yaml, then Gradle files, then .git', function()
  config.apply({})
  local dir = samples .. '/roots'
  for _, folder in ipairs({ '/git/.git', '/git/lib/src', '/git/app/settings/module/src' }) do
    vim.fn.mkdir(dir .. folder, 'p')
  end
  vim.fn.writefile({}, dir .. '/git/app/settings.gradle.kts')
  vim.fn.writefile({}, dir .. '/git/app/settings/module/build.gradle')
  d.equal('git', config.root(dir .. '/git/lib/src/A.java'), dir .. '/git')
  d.equal('the settings file goes before a module', config.root(dir .. '/git/app/settings/module/src/A.kt'), dir .. '/git/app')
  vim.fn.writefile({}, dir .. '/git/diffprof.yaml')
  d.equal('diffprof.yaml', config.root(dir .. '/git/app/settings/module/src/A.kt'), dir .. '/git')
end)

d.test('figures have the format of the reports', function()
  local energy = require('diffprof.energy')
  local file = vim.env.DIFFPROF_FIGURES
  local figures = vim.fn.json_decode(vim.fn.readfile(file))
  for _, f in ipairs(figures.percents) do
    d.equal(tostring(f.share), energy.percent(f.share), f.text)
  end
  for _, f in ipairs(figures.energies) do
    d.equal(f.nanojoules .. ' nJ', energy.text(f.nanojoules, f), f.text)
  end
end)

d.test('a narrow window draws no line that is too wide', function()
  local tree = require('diffprof.tree')
  local t = tree.new({ task = '', labels = { '(toplevel)', 'a.very.long.Classe.nommée()V' }, methods = { short = { '(toplevel)', 'Classe.nommée' } }, files = {}, rows = {
    parent = { -1, 0, 1 }, part = { 1, 2, 2 }, status = { 0, 2, 3 }, kind = { 0, 1, 1 }, label = { 0, 1, 1 },
    referenceLabel = { -1, -1, -1 }, subjectNJ = { 1000, 900, -1 }, subjectCalls = { 0, 3, -1 },
    referenceNJ = { 500, -1, 100 }, referenceCalls = { 0, -1, 2 }, pruned = { 0, 4, 0 },
    prunedSubjectNJ = { 0, 50, 0 }, prunedReferenceNJ = { 0, 0, 0 },
  } })
  for width = 1, 80 do
    for _, line in ipairs(tree.render(t, width).lines) do
      -- The figures alone need this width.
      assert(vim.fn.strdisplaywidth(line) <= math.max(width, 42), width .. ': ' .. line)
    end
  end
  d.equal('lines', #tree.render(t, 80).lines, 4)
end)

-- register runs setup, and returns the name of the interface that it used.
local function register(options)
  diffprof.setup(vim.tbl_extend('force', { cmd = { vim.env.DIFFPROF_PROGRAM, 'lsp' } }, options or {}))
  return diffprof.registration
end

d.test('vim.lsp.enable is used if it exists', function()
  local real_config, real_enable = vim.lsp.config, vim.lsp.enable
  local servers, enabled = {}, {}
  vim.lsp.config = function(name, server) servers[name] = server end
  vim.lsp.enable = function(name) table.insert(enabled, name) end
  local way = register({ subject = 'traces/a' })
  vim.lsp.config, vim.lsp.enable = real_config, real_enable
  d.equal('way', way, 'vim.lsp.enable')
  d.equal('enabled', enabled, { 'diffprof' })
  local server = servers.diffprof
  d.equal('filetypes', server.filetypes, { 'yaml', 'java', 'kotlin' })
  d.equal('settings', server.settings.diffprof.subject, 'traces/a')
  vim.cmd('noautocmd edit ' .. collector)
  local found
  server.root_dir(vim.api.nvim_get_current_buf(), function(dir) found = dir end)
  d.equal('root', found, samples .. '/player')
end)

d.test('settings of any name are sent, paths without ~', function()
  local home = vim.fn.expand('~')
  diffprof.setup({
    reference = '~/old.trace',
    settings = {
      subject = 'new.trace', reference = 'other.trace', foldedUnit = 'ms', partial = true, top = 7,
      mappingSubject = '~/m.txt', classpath = { '~/a.jar', 'b.jar' }, codeLens = { class = false }, merge = {},
    },
  })
  d.equal('settings', config.settings(), {
    subject = 'new.trace', reference = home .. '/old.trace', foldedUnit = 'ms', partial = true, top = 7,
    mappingSubject = home .. '/m.txt', classpath = { home .. '/a.jar', 'b.jar' }, codeLens = { class = false }, merge = {},
  })
  diffprof.setup({})
  d.equal('no settings', vim.fn.json_encode(config.settings()), '{}')
end)

d.test('nvim-lspconfig is used if it is installed', function()
  local started
  package.loaded['lspconfig.configs'] = {}
  package.loaded['lspconfig'] = { diffprof = { setup = function(options) started = options end } }
  local way = register()
  local registered = package.loaded['lspconfig.configs'].diffprof
  local declined = register({ lspconfig = false })
  package.loaded['lspconfig.configs'], package.loaded['lspconfig'] = nil, nil
  if vim.lsp.enable then
    return
  end
  d.equal('way', way, 'nvim-lspconfig')
  assert(started and registered.default_config.cmd[1] == vim.env.DIFFPROF_PROGRAM)
  d.equal('root', registered.default_config.root_dir(collector), samples .. '/player')
  d.equal('declined', declined, 'vim.lsp')
end)

-- failing makes a project with these lines in its diffprof.yaml, and opens a file of it. It returns
-- the list of :DiffprofTasks.
local function failing(name, lines)
  d.stop(client.all())
  d.wait('no client', function() return #client.all() == 0 end)
  -- Otherwise buffers of other projects would start their clients again.
  vim.cmd('%bwipeout!')
  local dir = samples .. '/' .. name
  vim.fn.mkdir(dir, 'p')
  vim.fn.writefile({ 'class Titles' }, dir .. '/Titles.kt')
  vim.fn.writefile(lines, dir .. '/diffprof.yaml')
  register({ lspconfig = false })
  vim.cmd('cd ' .. dir)
  vim.cmd('edit ' .. dir .. '/Titles.kt')
  d.wait('the status', function() return diffprof.status():find('not compared') end)
  vim.fn.setqflist({}, 'r', { items = {} })
  vim.cmd('DiffprofTasks')
  d.wait('the list', function() return #vim.fn.getqflist() > 0 end)
  vim.cmd('cclose')
  return vim.fn.getqflist()
end

d.test('a missing trace is reported from the start', function()
  local list = failing('missing', { 'subject: nothere.folded', 'reference: nothere.folded' })
  d.match('the reason', list[1].text, '^not compared: .*nothere%.folded')
  d.equal('the title', vim.fn.getqflist({ title = 0 }).title, 'diffprof: not compared')
end)

d.test('an error in diffprof.yaml is reported with its line', function()
  local list = failing('wrong', { 'subject: [ a', 'reference: b' })
  d.match('the reason', list[1].text, '^not compared: diffprof.yaml, line %d: ')
  d.match('its file', vim.api.nvim_buf_get_name(list[2].bufnr), '/wrong/diffprof%.yaml$')
  d.equal('it can be jumped to', list[2].valid, 1)
end)

d.test('a list requested during a comparison opens when it ends, and gets its places later', function()
  d.stop(client.all())
  d.wait('no client', function() return #client.all() == 0 end)
  vim.cmd('%bwipeout!')
  register({ lspconfig = false })
  vim.cmd('cd ' .. samples .. '/player')
  vim.cmd('edit ' .. collector)
  d.wait('a client', function() return #client.all() == 1 and client.all()[1].initialized end)
  vim.fn.setqflist({}, 'r', { items = {} })
  vim.cmd('DiffprofTasks')
  d.wait('the list', function() return #vim.fn.getqflist() > 5 end)
  d.wait('its places', function() return vim.fn.getqflist()[1].valid == 1 end)
  d.match('its line', vim.api.nvim_buf_get_lines(0, 0, 1, false)[1], 'TrackElapsedTimeView%.java:%d+')
  -- renew leaves a list alone if something else has changed it.
  vim.fn.setqflist({}, 'r', { items = { { text = 'mine' } } })
  require('diffprof.tasks').renew(client.all()[1])
  vim.wait(600, function() return #vim.fn.getqflist() ~= 1 end)
  d.equal('its lines', #vim.fn.getqflist(), 1)
  vim.cmd('cclose')
end)

d.test('a command compares for a file without a root', function()
  local dir = samples .. '/loose'
  vim.fn.mkdir(dir, 'p')
  local notes = samples .. '/my notes #1'
  vim.fn.writefile(vim.fn.readfile(notes .. '/app/src/main/kotlin/com/example/notes/Titles.kt'), dir .. '/Titles.kt')
  register({ lspconfig = false, root_markers = { 'no-such-marker' } })
  vim.cmd('cd ' .. dir)
  vim.cmd('edit ' .. dir .. '/Titles.kt')
  d.equal('clients', #vim.tbl_filter(function(c) return c.config.root_dir == dir end, client.all()), 0)
  d.stop(client.all())
  d.wait('no client', function() return #client.all() == 0 end)
  local traces = vim.fn.fnameescape(notes .. '/traces')
  vim.cmd(('DiffprofCompare %s/new.folded %s/old.folded'):format(traces, traces))
  local found = d.diagnostics()
  d.match('message', found[1].message, '^Html%.fromHtml')
  d.equal('root', client.all()[1].config.root_dir, dir)
end)

d.test('a killed server leaves no results, and is started again', function()
  vim.cmd('edit ' .. samples .. '/player/app/src/main/java/com/pandora/android/view/TrackElapsedTimeView.java')
  config.apply({ cmd = { vim.env.DIFFPROF_PROGRAM, 'lsp' } })
  client.attach(vim.api.nvim_get_current_buf())
  d.diagnostics()
  local one = client.attached(vim.api.nvim_get_current_buf())
  d.stop({ one }, true)
  d.wait('it ends', function() return vim.lsp.get_client_by_id(one.id) == nil end)
  d.wait('no diagnostic', function() return #vim.diagnostic.get(0) == 0 end)
  d.wait('no lens', function() return next(d.lenses(0)) == nil end)
  client.attach(vim.api.nvim_get_current_buf())
  d.diagnostics()
  assert(client.attached(vim.api.nvim_get_current_buf()).id ~= one.id)
end)

d.finish()
