-- :checkhealth diffprof
local M = {}

-- reporter returns the functions of Neovim's own reports, whose names and places
-- changed.
local function reporter()
  local h = vim.health or require('health')
  return {
    start = h.start or h.report_start,
    ok = h.ok or h.report_ok,
    info = h.info or h.report_info,
    warn = h.warn or h.report_warn,
    error = h.error or h.report_error,
  }
end

function M.check()
  local report = reporter()
  report.start('diffprof')

  if vim.fn.has('nvim-0.7') == 1 then
    local v = vim.version()
    report.ok(('Neovim %d.%d.%d'):format(v.major, v.minor, v.patch))
  else
    report.error('Neovim is older than 0.7', { 'Install a newer one.' })
  end

  local config = require('diffprof.config')
  local c = config.current
  if not c then
    report.error('setup was not called', { "Put require('diffprof').setup{} into init.lua; see :help diffprof-setup" })
    return
  end
  report.ok('set up through ' .. (require('diffprof').registration or 'nothing'))

  local program = c.cmd[1]
  if vim.fn.executable(program) == 0 then
    report.error(('found no program %q'):format(program), {
      'Install diffprof and put its folder on the PATH,',
      "or name it: require('diffprof').setup{ cmd = { '/path/to/diffprof', 'lsp' } }",
    })
    return
  end
  local version = vim.fn.system({ program, '--version' })
  if vim.v.shell_error ~= 0 then
    report.error(('%s --version failed: %s'):format(program, vim.trim(version)))
  else
    report.ok(('%s: %s'):format(vim.fn.exepath(program), vim.trim(version)))
  end

  local client = require('diffprof.client')
  local running = client.all()
  if #running == 0 then
    report.warn('no server is running', {
      'Open a Java or Kotlin file of a project. A project has a diffprof.yaml, a Gradle file or a .git above the file.',
    })
  end
  for _, one in ipairs(running) do
    report.ok(('a server is running for %s'):format(one.config.root_dir))
    local comparison = client.state(one).comparison
    if client.failure(one) then
      report.error('the traces could not be compared: ' .. client.failure(one), {
        'Correct diffprof.yaml, or run :DiffprofCompare SUBJECT REFERENCE with other traces.',
      })
    end
    if comparison then
      report.ok(('%d tasks compared: %s with %s'):format(comparison.tasks, comparison.subject, comparison.reference))
    elseif not client.failure(one) then
      report.info('  no comparison yet: set subject and reference in diffprof.yaml, or run :DiffprofCompare')
    end
  end
  for _, name in ipairs({ 'subject', 'reference' }) do
    local path = config.settings()[name]
    if path and path:sub(1, 1) == '/' and vim.fn.filereadable(path) == 0 then
      report.error(('%s: file %s does not exist'):format(name, path))
    end
  end
end

return M
