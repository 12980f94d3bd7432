-- A claim of a fleet about an app is shown at the call that may be the reason.
local d = dofile('driver.lua')
local root = vim.env.DIFFPROF_SAMPLES .. '/fleet'
local path = 'android.app.Activity.performCreate()V;com.app.Main.onCreate()V;'

local function run(...)
  local out = vim.fn.system({ vim.env.DIFFPROF_PROGRAM, ... })
  assert(vim.v.shell_error == 0, out)
end

d.test('a lens shows the claim of the fleet, only at the suspect call', function()
  vim.fn.mkdir(root .. '/src', 'p')
  vim.fn.writefile({
    'package com.app;', '', 'public class Main {', '    public void onCreate() {', '        resolver.query();', '        socket.connect();', '    }', '}',
  }, root .. '/src/Main.java')
  vim.fn.writefile({ path .. 'android.content.ContentResolver.query()V 4000000', path .. 'java.net.Socket.connect()V 2000000', 'android.os.Looper.loop()V 123001' }, root .. '/new.folded')
  vim.fn.writefile({ path .. 'java.net.Socket.connect()V 500000', 'android.os.Looper.loop()V 123001', 'android.os.Looper.loop()V;android.os.Handler.post()V 77003' }, root .. '/old.folded')
  run('fleet', 'simulate', '--clients', '100', '--apps', '60', '--hogs', '4', '--innocent', '8', '--bugs', '0', '--days', '5', '--name', 'com.app', '--mobile', '-o', root .. '/samples.csv')
  run('fleet', 'analyze', root .. '/samples.csv', '-o', root .. '/fleet.dp')
  vim.fn.writefile({ 'subject: new.folded', 'reference: old.folded', 'foldedUnit: nJ', 'fleet: fleet.dp' }, root .. '/diffprof.yaml')
  require('diffprof').setup({ cmd = { vim.env.DIFFPROF_PROGRAM, 'lsp' } })
  vim.cmd('edit ' .. vim.fn.fnameescape(root .. '/src/Main.java'))
  d.wait('lenses', function() return d.lenses(0)[5] end)
  d.match('lens', d.lenses(0)[5], 'fleet: .* per charge, %d+ devices, network mobile')
  d.equal('the other call', d.lenses(0)[4], nil)
end)

d.test('a hover shows the reason', function()
  d.place('connect')
  vim.lsp.buf.hover()
  local window = d.wait('the hover', function()
    for _, w in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(w).relative ~= '' then
        return w
      end
    end
  end)
  local text = table.concat(d.lines(vim.api.nvim_win_get_buf(window)), '\n')
  d.match('hover', text, 'Suspect: it uses cellular in java.net.Socket.connect')
  vim.api.nvim_win_close(window, true)
end)

d.test('the list has the suspect call first', function()
  vim.cmd('DiffprofTasks')
  local list = d.wait('the list', function()
    local items = vim.fn.getqflist()
    return #items > 0 and items
  end)
  d.match('first', list[1].text, 'Socket.connect.*; suspect: it uses cellular')
end)

d.finish()
