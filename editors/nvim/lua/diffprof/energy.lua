-- Writes figures in the format of the reports. report/words/testdata/figures.json tests both.
-- The server sends energies as whole nanojoules.
local M = {}

local units = { nJ = 1, ['µJ'] = 1e3, mJ = 1e6, J = 1e9 }

-- fixed writes a number with a number of digits after the point. It rounds halves away from zero;
-- string.format rounds them to even.
local function fixed(value, digits)
  -- A number is exactly halfway between two results only if it has few binary digits after the
  -- point.
  local exact = value * 2 ^ (digits + 1) % 1 == 0
  if exact and value * 2 * 10 ^ digits % 2 == 1 then
    value = value * (1 + 2 ^ -52)
  end
  return ('%.' .. digits .. 'f'):format(value)
end

-- A number at or above a bound would round to four digits with one more decimal.
local bounds = { 99.95, 9.995, 0.9995, 0.09995, 0.009995 }

-- three writes a number with three significant digits, and at least all digits before the point.
local function three(value)
  local size = math.abs(value)
  if size < 0.001 then
    return '~0'
  end
  local digits = 0
  while digits < #bounds and size < bounds[digits + 1] do
    digits = digits + 1
  end
  return fixed(value, digits)
end

-- percent writes a share of 1, as the reports do.
function M.percent(share)
  if share > 0 and share < 0.0005 then
    return '<0.1%'
  end
  return fixed(100 * share, 1) .. '%'
end

-- grouped returns a whole number with commas between thousands.
local function grouped(n)
  local text, found = ('%.0f'):format(n), 1
  while found > 0 do
    text, found = text:gsub('^(-?%d+)(%d%d%d)', '%1,%2')
  end
  return text
end

-- text returns nanojoules in the unit that the server sent with them, or in a suitable unit.
-- Energies in µAh need the battery's voltage.
function M.text(nanojoules, of)
  local unit = of.unit
  if unit == 'µAh' then
    return (nanojoules == 0 and '0' or three(nanojoules / (3.6e6 * of.volts))) .. ' µAh'
  end
  if unit == 'units' then -- the recordings state no unit
    return grouped(nanojoules) .. (math.abs(nanojoules) == 1 and ' unit' or ' units')
  end
  if not units[unit] then
    local size = math.abs(nanojoules)
    unit = size >= 0.9995e9 and 'J' or size >= 0.9995e6 and 'mJ' or size >= 999.5 and 'µJ' or 'nJ'
  end
  if unit == 'nJ' then
    return ('%.0f nJ'):format(nanojoules)
  end
  return (nanojoules == 0 and '0' or three(nanojoules / units[unit])) .. ' ' .. unit
end

return M
