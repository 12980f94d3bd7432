-- The two call trees of a task as lines of text, side by side. This module opens no
-- windows.
local energy = require('diffprof.energy')

local M = {}

local PATH, METHOD = 0, 1
local RELABELLED, SUBJECT_ONLY, REFERENCE_ONLY = 1, 2, 3

-- The sign before a row shows its status without colour.
local signs = { [0] = ' ', [RELABELLED] = '~', [SUBJECT_ONLY] = '+', [REFERENCE_ONLY] = '-' }
local groups = {
  [RELABELLED] = 'DiffprofRelabelled',
  [SUBJECT_ONLY] = 'DiffprofSubjectOnly',
  [REFERENCE_ONLY] = 'DiffprofReferenceOnly',
}

-- A call path with more rows than this is hidden at first.
local longest_path = 5
-- Branches with less than this share of the task's energy on both sides are folded at
-- first.
local trifle = 0.05

-- new converts the answer to diffprof/flask to a tree.
function M.new(flask)
  local rows = flask.rows
  local tree = { flask = flask, rows = rows, count = #rows.parent, children = {}, depth = {}, open = {}, path_rows = 0 }
  for i = 1, tree.count do
    tree.children[i] = {}
    local parent = rows.parent[i] + 1
    if parent > 0 then
      table.insert(tree.children[parent], i)
    end
    if rows.part[i] == PATH then
      tree.path_rows = tree.path_rows + 1
    elseif rows.part[i] == METHOD then
      tree.method = tree.method or i
    end
    -- The path is not indented, because an indented path would leave no space for the rows below.
    tree.depth[i] = (parent > 0 and rows.part[i] > METHOD) and tree.depth[parent] + 1 or 0
  end
  tree.method = tree.method or 1
  tree.show_path = tree.path_rows <= longest_path
  tree.total = math.max(rows.subjectNJ[tree.method] or 0, rows.referenceNJ[tree.method] or 0)
  for i = 1, tree.count do
    tree.open[i] = M.larger(tree, i) >= trifle * tree.total
  end
  return tree
end

-- larger returns the larger one of a row's two energies.
function M.larger(tree, i)
  return math.max(tree.rows.subjectNJ[i], tree.rows.referenceNJ[i])
end

-- foldable reports whether a row has rows below it.
function M.foldable(tree, i)
  return tree.rows.part[i] ~= PATH and (#tree.children[i] > 0 or tree.rows.pruned[i] > 0)
end

-- fit cuts or pads a text to a width.
local function fit(text, width)
  local over = vim.fn.strdisplaywidth(text) - width
  if over > 0 then
    local chars = vim.fn.strchars(text)
    repeat
      chars = chars - 1
      text = vim.fn.strcharpart(text, 0, chars)
    until chars <= 0 or vim.fn.strdisplaywidth(text) < width
    text = text .. '…'
    over = vim.fn.strdisplaywidth(text) - width
  end
  return text .. (' '):rep(-over)
end

local function right(text, width)
  return (' '):rep(width - vim.fn.strdisplaywidth(text)) .. text
end

local energy_width, calls_width = 10, 8

-- half writes one side of a line: a name, and figures at the right.
local function half(name, figure, calls, width)
  return fit(name, width - energy_width - calls_width) .. right(figure, energy_width) .. right(calls, calls_width)
end

-- times returns the number of calls of a row on a side, 0 if unknown.
function M.times(tree, i, of)
  local counts = tree.flask.counts
  if counts == '' then
    return 0
  end
  local column = tree.rows[of .. (counts == 'calls' and 'Calls' or 'Samples')]
  return type(column) == 'table' and column[i] or 0
end

local function side(tree, i, of)
  local rows = tree.rows
  local amount = rows[of .. 'NJ'][i]
  if amount < 0 then
    return nil
  end
  local times = M.times(tree, i, of)
  local label = rows.label[i]
  if of == 'reference' and rows.referenceLabel[i] >= 0 then
    label = rows.referenceLabel[i]
  end
  return {
    name = tree.flask.methods.short[label + 1],
    energy = energy.text(amount, tree.flask),
    calls = times > 0 and times .. '×' or '',
  }
end

-- replace returns the tree of a newer flask of the same task, with the same rows folded. It also
-- returns the position in the new tree of a row of the old tree.
function M.replace(before, flask, row)
  local tree = M.new(flask)
  tree.show_path = before.show_path
  local top, place = {}, {}
  -- walk visits the rows with their keys. Rows at equal paths of both trees have equal keys.
  local function walk(t, visit)
    local at = {}
    for i = 1, t.count do
      local above = at[t.rows.parent[i] + 1] or top
      local label = t.flask.labels[t.rows.label[i] + 1]
      above[label] = above[label] or {}
      at[i] = above[label]
      visit(i, at[i])
    end
  end
  local open, old = {}, nil
  walk(before, function(i, path)
    open[path] = before.open[i]
    old = i == row and path or old
  end)
  walk(tree, function(i, path)
    place[path] = i
    if open[path] ~= nil then
      tree.open[i] = open[path]
    end
  end)
  return tree, old and place[old]
end

-- render returns the lines, the row of each line (0 for none), and marks {line, first byte, last
-- byte, highlight group}. Lines and bytes in marks count from 0.
function M.render(tree, width)
  local out = { lines = {}, rows = {}, marks = {} }
  local each = math.floor((width - 3) / 2)
  local step = each < 60 and 1 or 2
  -- Deep rows keep space for a name.
  local deepest = math.max(each - energy_width - calls_width - 16, 0)
  local function indent(depth)
    return (' '):rep(math.min(depth * step, deepest))
  end
  local function put(left, right_half, row, group_left, group_right)
    local line = left .. ' │ ' .. right_half
    table.insert(out.lines, line)
    table.insert(out.rows, row)
    local n = #out.lines - 1
    if group_left then
      table.insert(out.marks, { n, 0, #left, group_left })
    end
    if group_right then
      table.insert(out.marks, { n, #left + #' │ ', #line, group_right })
    end
  end
  local function draw(i)
    local rows = tree.rows
    local part, status = rows.part[i], rows.status[i]
    if part == PATH and not tree.show_path then
      return
    end
    local fold = not M.foldable(tree, i) and ' ' or tree.open[i] and '▾' or '▸'
    local before = indent(tree.depth[i]) .. fold .. (part == METHOD and '◆' or '')
    local group = part == PATH and 'DiffprofPath' or groups[status] or part == METHOD and 'DiffprofMethod' or nil
    local function text(s)
      if not s then
        return (' '):rep(each)
      end
      return half(signs[status] .. before .. ' ' .. s.name, s.energy, s.calls, each)
    end
    put(text(side(tree, i, 'subject')), text(side(tree, i, 'reference')), i, group, group)
  end
  local function below(i)
    draw(i)
    if tree.rows.part[i] ~= PATH and not tree.open[i] then
      return
    end
    for _, child in ipairs(tree.children[i]) do
      below(child)
    end
    local pruned = tree.rows.pruned[i]
    if pruned > 0 and tree.rows.part[i] ~= PATH then
      local text = (' %s  ⋯ %d smaller'):format(indent(tree.depth[i] + 1), pruned)
      local function amount(of)
        local nj = tree.rows['pruned' .. of .. 'NJ'][i]
        return nj > 0 and half(text, energy.text(nj, tree.flask), '', each) or (' '):rep(each)
      end
      put(amount('Subject'), amount('Reference'), i, 'DiffprofPath', 'DiffprofPath')
    end
  end
  if not tree.show_path and tree.path_rows > 0 then
    local text = fit(('  ⋯ call path of %d steps: p shows it'):format(tree.path_rows), each)
    put(text, (' '):rep(each), 0, 'DiffprofPath')
  end
  if tree.count > 0 then
    below(1)
  end
  return out
end

-- set folds or unfolds a row, and with deep all rows below it.
function M.set(tree, i, open, deep)
  tree.open[i] = open
  if deep then
    for _, child in ipairs(tree.children[i]) do
      M.set(tree, child, open, deep)
    end
  end
end

-- heading returns the line above the tree: the names of the sides and of their figures.
-- counts is the flask's unit of counts: calls or samples.
function M.heading(subject, reference, counts, width)
  local each = math.floor((width - 3) / 2)
  return half('  ' .. subject, 'energy', counts, each) .. ' │ ' .. half('  ' .. reference, 'energy', counts, each)
end

return M
