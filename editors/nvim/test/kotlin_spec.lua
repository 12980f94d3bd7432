-- A Kotlin app in a folder with a space and a # in its name, compared by the command. A second
-- project is open too: each root has its own client.
local d = dofile('driver.lua')
local samples = vim.env.DIFFPROF_SAMPLES
local notes = samples .. '/my notes #1'
local sources = notes .. '/app/src/main/kotlin/com/example/notes/'
local client = require('diffprof.client')

local function edit(path)
  vim.cmd('edit ' .. vim.fn.fnameescape(path))
end

d.test('one client for all files of a root', function()
  require('diffprof').setup({ cmd = { vim.env.DIFFPROF_PROGRAM, 'lsp' }, settings = { foldedUnit = 'nJ' } })
  edit(sources .. 'Titles.kt')
  edit(sources .. 'NotesActivity.kt')
  d.wait('a client', function() return #client.all() == 1 and client.all()[1].initialized end)
  d.equal('root', client.all()[1].config.root_dir, notes)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[bufnr].filetype == 'kotlin' then
      assert(vim.lsp.buf_is_attached(bufnr, client.all()[1].id))
    end
  end
end)

d.test(':DiffprofTasks shows a message before the first comparison', function()
  vim.cmd('DiffprofTasks')
  d.wait('the message', function() return (d.messages[#d.messages] or ''):find('no comparison yet') end)
end)

d.test(':DiffprofCompare compares two files below the working folder', function()
  vim.cmd('cd ' .. vim.fn.fnameescape(notes .. '/traces'))
  vim.cmd('DiffprofCompare new.folded old.folded')
  local found = d.diagnostics()
  -- One is for a task, and the other for the energy of the method itself.
  table.sort(found, function(a, b) return a.code > b.code end)
  d.equal('diagnostics', #found, 2)
  d.equal('codes', { found[1].code, found[2].code }, { 'unmatched-task', 'costlier-code' })
  d.match('message', found[1].message, '^ContentResolver%.query uses 60.0 mJ %(60.*old')
  local line, column = d.place('query')
  d.equal('place', { found[1].lnum, found[1].col }, { line, column })
end)

d.test('hidden buffers have diagnostics too', function()
  edit(sources .. 'Titles.kt')
  local found = d.diagnostics()
  d.match('message', found[1].message, '^Html%.fromHtml: 30.0 mJ here, 6.0%d* mJ')
  local line, column = d.place('fromHtml(')
  d.equal('place', { found[1].lnum, found[1].col }, { line, column })
end)

d.test('another root has another client, and its own figures', function()
  edit(samples .. '/player/app/src/main/java/com/pandora/android/view/TrackElapsedTimeView.java')
  d.wait('two clients', function() return #client.all() == 2 end)
  local found = d.diagnostics()
  d.match('message', found[1].message, '^TextView%.setText')
  local ids = vim.tbl_map(function(c) return c.config.root_dir end, client.all())
  d.equal('roots', ids, { notes, samples .. '/player' })
end)

d.test('status shows the result when no comparison runs', function()
  local found = '^diffprof: .+ uses '
  d.wait('quiet', function() return require('diffprof').status():find(found) end)
  require('diffprof').cancel()
end)

d.test('setup rejects unknown options', function()
  local ok, err = pcall(require('diffprof').setup, { subjct = 'a' })
  assert(not ok)
  d.match('message', err, 'unknown option "subjct"')
  ok, err = pcall(require('diffprof').setup, { cmd = 'diffprof lsp' })
  assert(not ok)
  d.match('message', err, 'cmd must be a table')
end)

d.test('clients end in an orderly way', function()
  d.stop(client.all())
  d.wait('no client', function() return #client.all() == 0 end)
  d.wait('no diagnostic', function() return #vim.diagnostic.get() == 0 end)
  for _, text in ipairs(d.messages) do
    assert(not text:find('exit code'), text)
  end
end)

d.test('a buffer has a client again once it is entered again', function()
  edit(sources .. 'NotesActivity.kt')
  vim.cmd('edit')
  d.wait('a client', function() return #client.all() == 1 end)
end)

d.finish()
