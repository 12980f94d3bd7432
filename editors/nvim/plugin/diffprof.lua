-- The commands. They load the other modules on first use.
if vim.g.loaded_diffprof then
  return
end
vim.g.loaded_diffprof = true

local function command(name, options, run)
  vim.api.nvim_create_user_command(name, run, options)
end

command('DiffprofCompare', { nargs = '*', complete = 'file', desc = 'Compare two traces: SUBJECT REFERENCE' }, function(o)
  require('diffprof').compare(o.fargs[1], o.fargs[2], #o.fargs)
end)
command('DiffprofCancel', { desc = 'Cancel the running comparison' }, function()
  require('diffprof').cancel()
end)
command('DiffprofClear', { desc = 'Show nothing until the next comparison' }, function()
  require('diffprof').clear()
end)
command('DiffprofAlpha', { nargs = 1, desc = 'Compare with another α: a number or auto' }, function(o)
  require('diffprof').set_alpha(o.args)
end)
command('DiffprofLens', { desc = 'Turn code lenses off or on' }, function()
  require('diffprof').execute('diffprof.toggleCodeLens')
end)
command('DiffprofHeat', { desc = 'Turn the energy of source lines off or on' }, function()
  require('diffprof').heat()
end)
command('DiffprofPackages', { desc = 'List packages with their owners' }, function()
  require('diffprof').packages()
end)
command('DiffprofReport', { nargs = 1, bang = true, complete = 'file', desc = 'Write the comparison to FILE; with ! replace an existing file' }, function(o)
  require('diffprof').report(o.args, o.bang)
end)
command('DiffprofTasks', {
  nargs = '*',
  desc = 'List tasks, worst first, in the quickfix list',
  complete = function(begun)
    return vim.tbl_filter(function(word) return vim.startswith(word, begun) end, require('diffprof.tasks').words)
  end,
}, function(o)
  require('diffprof').tasks(o.args)
end)
command('DiffprofFlask', { nargs = '?', bang = true, desc = 'Draw both call trees of a task; with ! those of the whole run' }, function(o)
  require('diffprof').flask(o.args, o.bang)
end)
