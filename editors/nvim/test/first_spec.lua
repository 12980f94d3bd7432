-- The project of docs/neovim.md, and the results on that page.
local d = dofile('driver.lua')

d.test('the editor shows the results that the page lists', function()
  require('diffprof').setup({ cmd = { vim.env.DIFFPROF_PROGRAM, 'lsp' } })
  vim.cmd('cd ' .. vim.env.DIFFPROF_SAMPLES .. '/first')
  vim.cmd('edit src/com/example/notes/NotesActivity.java')
  local found = d.diagnostics()
  d.equal('diagnostics', #found, 2)
  table.sort(found, function(a, b) return a.lnum < b.lnum end)
  d.match('the first', found[1].message, '^ContentResolver.query uses 60.0 mJ %(66.7%% of the run%); old has no such task')
  d.match('the second', found[2].message, '^TextView.setText: 30.0 mJ here, 5.00 mJ in old %(6.0 times%)')
  for n, name in ipairs({ 'query', 'setText' }) do
    local line, column = d.place(name)
    d.equal('place of ' .. name, { found[n].lnum, found[n].col }, { line, column })
  end
  d.wait('lenses', function() return next(d.lenses(0)) end)
  d.match('the class', d.lenses(0)[d.place('public class')], '90.0 mJ · 100.0%% · could save 85.0 mJ')
  d.match('the method', d.lenses(0)[d.place('private void reload')], '90.0 mJ · 100.0%% · could save 85.0 mJ')
end)

d.test('the client sees edits of diffprof.yaml, opened before or after the sources', function()
  vim.cmd('edit diffprof.yaml')
  local one = require('diffprof.client').all()[1]
  d.wait('the client', function() return vim.lsp.buf_is_attached(0, one.id) end)
  -- Some configurations detect the filetype last.
  vim.bo.filetype = 'yaml'
  assert(vim.lsp.buf_is_attached(0, one.id), 'after')
  d.stop({ one })
  d.wait('no client', function() return #require('diffprof.client').all() == 0 end)
  local project = vim.api.nvim_get_current_buf()
  vim.cmd('edit src/com/example/notes/NotesActivity.java')
  vim.cmd('edit')
  d.equal('diagnostics', #d.diagnostics(), 2)
  assert(vim.lsp.buf_is_attached(project, require('diffprof.client').all()[1].id), 'before')
end)

d.test('the call has a hover and code actions', function()
  d.place('setText')
  local at = vim.lsp.util.make_position_params(0, 'utf-16')
  local _, hover = next(d.wait('a hover', function() return vim.lsp.buf_request_sync(0, 'textDocument/hover', at, 5000) end))
  d.match('hover', hover.result.contents.value, 'setText')
  local range = vim.lsp.util.make_range_params(0, 'utf-16')
  range.context = { diagnostics = {} }
  local _, actions = next(d.wait('actions', function() return vim.lsp.buf_request_sync(0, 'textDocument/codeAction', range, 5000) end))
  local titles = table.concat(vim.tbl_map(function(a) return a.title end, actions.result), '\n')
  d.match('actions', titles, 'Ignore TextView.setText in diffprof.yaml')
end)

d.test('a lens shows the commit since which a task costs more', function()
  for commit = 1, 2 do
    for run = 1, 6 do
      local path = string.format('traces/%d-%d.folded', commit, run)
      local stack = 'android.app.Activity.performCreate;com.example.notes.NotesActivity.onCreate;com.example.notes.NotesActivity.reload;'
      vim.fn.writefile({
        stack .. 'android.content.ContentResolver.query;android.os.BinderProxy.transact ' .. (commit * 30000 + run) * 1000,
        stack .. 'android.widget.TextView.setText ' .. 30000000 - run * 1000,
      }, path)
    end
    local said = vim.fn.system({
      vim.env.DIFFPROF_PROGRAM, 'history', 'add', '--commit', string.rep(tostring(commit), 40),
      '--time', '2026-01-0' .. commit .. 'T00:00:00Z', 'traces/' .. commit .. '-*.folded',
    })
    d.equal('history add: ' .. said, vim.v.shell_error, 0)
  end
  local line = d.place('query')
  local lens = d.wait('the lens', function() return d.lenses(0)[line] end)
  d.place('setText')
  d.match('the lens', lens, 'since 2222222: %+100%.0%%')
end)

d.test('ignoring a task, and undoing that, changes the diagnostics at once', function()
  local source = vim.api.nvim_get_current_buf()
  vim.ui.select = function(items, _, done)
    for _, item in ipairs(items) do
      local action = item[2] or item.action
      if action.title == 'Ignore TextView.setText in diffprof.yaml' then
        return done(item)
      end
    end
    error(vim.inspect(items))
  end
  vim.lsp.buf.code_action()
  d.wait('one diagnostic', function() return #vim.diagnostic.get(source) == 1 end)
  local project = vim.fn.bufnr('diffprof.yaml')
  assert(project > 0)
  d.match('the file', table.concat(d.lines(project), '\n'), 'ignore:.*TextView.setText')
  vim.api.nvim_buf_call(project, function() vim.cmd('silent undo') end)
  d.wait('two diagnostics', function() return #vim.diagnostic.get(source) == 2 end)
  vim.cmd('bwipeout! ' .. project)
end)

d.test('a new recording in place of a trace changes the diagnostics', function()
  local lines = vim.fn.readfile('traces/new.folded')
  vim.fn.writefile({ lines[2], lines[3] }, 'traces/new.folded')
  d.wait('one diagnostic', function() return #vim.diagnostic.get(0) == 1 end)
  d.match('which', vim.diagnostic.get(0)[1].message, '^TextView.setText')
end)

d.test('an unknown key is a diagnostic in diffprof.yaml', function()
  vim.fn.writefile({ 'subject: traces/new.folded', 'refrence: traces/old.folded' }, 'diffprof.yaml')
  local file = vim.fn.fnamemodify('diffprof.yaml', ':p')
  local found = d.wait('the diagnostic', function()
    local bufnr = vim.fn.bufnr(file)
    return bufnr > 0 and vim.diagnostic.get(bufnr)[1]
  end)
  d.equal('line', found.lnum, 1)
  d.match('message', found.message, 'reference')
end)

d.finish()
