-- Lines with energy in a project whose recording has source lines.
local d = dofile('driver.lua')

-- shown returns the signs and figures of the current buffer, by line from 1.
local function shown()
  local bufnr = vim.api.nvim_get_current_buf()
  local signs, texts = {}, {}
  for _, sign in ipairs(vim.fn.sign_getplaced(bufnr, { group = 'diffprof_heat' })[1].signs) do
    signs[sign.lnum] = sign.name
  end
  local namespace = vim.api.nvim_create_namespace('diffprof_heat')
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })) do
    texts[mark[2] + 1] = mark[4].virt_text[1][1]
  end
  return signs, texts
end

local function count(found)
  return #vim.tbl_keys(found)
end

d.test('the setting shows signs and figures of lines', function()
  require('diffprof').setup({ cmd = { vim.env.DIFFPROF_PROGRAM, 'lsp' }, settings = { lineHeat = true } })
  vim.cmd('cd ' .. vim.fn.fnameescape(vim.env.DIFFPROF_SAMPLES .. '/lines'))
  vim.cmd('edit src/com/example/notes/Search.java')
  d.wait('signs', function() return count(shown()) > 0 end)
  local signs, texts = shown()
  d.equal('signs', count(signs), 7)
  d.equal('texts', count(texts), 7)
  local hot = d.place('edits[i][j] = Math.min') + 1
  d.equal('the hottest line', signs[hot], 'DiffprofHeat6')
  d.match('the hottest line', texts[hot], '^1%.67 ±0%.2 J$')
  local few = d.place('for (Note note') + 1
  d.equal('a line with few samples', signs[few], 'DiffprofHeat0')
  d.equal('a line with few samples', texts[few], 'few samples')
  d.equal('a line without samples', signs[d.place('return found') + 1], nil)
end)

d.test('edits move the figures, and the figure of an edited line is gone', function()
  local hot = d.place('edits[i][j] = Math.min') + 1
  vim.api.nvim_buf_set_lines(0, 2, 2, false, { '// one', '// two' })
  d.wait('moved signs', function()
    local signs, texts = shown()
    return signs[hot + 2] == 'DiffprofHeat6' and texts[hot + 2] and not signs[hot - 2]
  end)
  vim.cmd('silent undo')
  d.wait('signs at the old place', function() return shown()[hot] == 'DiffprofHeat6' end)
  vim.api.nvim_buf_set_lines(0, hot - 1, hot, false, { 'edits[i][j] = fast(a, b, i, j);' })
  d.wait('no sign at the edited line', function()
    local signs = shown()
    return not signs[hot] and count(signs) == 6
  end)
  vim.cmd('silent undo')
  d.wait('all signs', function() return count(shown()) == 7 end)
end)

d.test('the command turns the figures off and on', function()
  vim.cmd('DiffprofHeat')
  d.wait('no signs', function()
    local signs, texts = shown()
    return count(signs) == 0 and count(texts) == 0
  end)
  vim.cmd('DiffprofHeat')
  d.wait('signs', function() return count(shown()) == 7 end)
end)

d.test('a hover has the interval and the samples of a line', function()
  d.place('edits[i][j] = Math.min')
  local at = vim.lsp.util.make_position_params(0, 'utf-16')
  local _, hover = next(d.wait('a hover', function() return vim.lsp.buf_request_sync(0, 'textDocument/hover', at, 5000) end))
  d.match('hover', hover.result.contents.value, 'This line itself: 1%.67 J .* in 95%% of cases.*, 50%.7%% of the run, 940 samples')
end)

d.test('the lines of a source that is newer than the recording are marked', function()
  d.equal('touch', vim.fn.system({ 'touch', '-d', '2001-01-01', 'subject.pprof' }), '')
  vim.cmd('DiffprofCompare')
  d.wait('marked figures', function()
    local _, texts = shown()
    for _, text in pairs(texts) do
      return text:find('source changed', 1, true) ~= nil
    end
  end)
end)

d.test('lines that a meter did not determine are hatched, without a figure', function()
  vim.cmd('cd ' .. vim.fn.fnameescape(vim.env.DIFFPROF_SAMPLES .. '/metered'))
  vim.cmd('edit src/com/mine/Sim.java')
  d.wait('hatched lines', function() return vim.tbl_contains(vim.tbl_values((shown())), 'DiffprofHeatHatched') end)
  local signs, texts = shown()
  local hatched, figures = 0, 0
  for line, sign in pairs(signs) do
    if sign == 'DiffprofHeatHatched' then
      hatched = hatched + 1
      d.equal('line ' .. line, texts[line], 'not determined')
    else
      figures = figures + 1
      d.match('line ' .. line, texts[line], '^[%d.]+ ±[%d.]+ .+J ×[%d,]+')
    end
  end
  d.equal('there are hatched lines', hatched > 10, true)
  d.equal('there are lines with figures', figures > 10, true)
end)

d.test('nothing is left after the server has ended', function()
  d.stop(require('diffprof.client').all())
  d.wait('no signs', function() return count(shown()) == 0 end)
end)

d.finish()
