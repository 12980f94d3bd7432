-- Energies, which are sent as whole nanojoules, as texts.
local M = {}

local units = { nJ = 1, ['µJ'] = 1e3, mJ = 1e6, J = 1e9 }

-- three writes a number with three significant digits, and no fewer than it has
-- before the point.
local function three(value)
  local size = math.abs(value)
  local digits = size >= 99.95 and 0 or size >= 9.995 and 1 or size >= 0.9995 and 2 or 3
  return ('%.' .. digits .. 'f'):format(value)
end

-- text shows nanojoules in the unit of what the server sent them with, or in one that
-- suits. Energies in µAh are those of a battery of so many volts.
function M.text(nanojoules, of)
  local unit = of.unit
  if nanojoules == 0 then
    return '0'
  end
  if unit == 'µAh' then
    return three(nanojoules / (3.6e6 * of.volts)) .. ' µAh'
  end
  if not units[unit] then
    local size = math.abs(nanojoules)
    unit = size >= 0.9995e9 and 'J' or size >= 0.9995e6 and 'mJ' or size >= 999.5 and 'µJ' or 'nJ'
  end
  if unit == 'nJ' then
    return ('%.0f nJ'):format(nanojoules)
  end
  return three(nanojoules / units[unit]) .. ' ' .. unit
end

return M
