-- Energies, which are sent as whole nanojoules, as texts.
local M = {}

local units = { nJ = { 1, 'nJ' }, uJ = { 1e3, 'µJ' }, mJ = { 1e6, 'mJ' }, J = { 1e9, 'J' } }

-- three writes a number with three significant digits, and no fewer than it has
-- before the point.
local function three(value)
  local size = math.abs(value)
  local digits = size >= 99.95 and 0 or size >= 9.995 and 1 or size >= 0.9995 and 2 or 3
  return ('%.' .. digits .. 'f'):format(value)
end

-- text shows nanojoules in the unit of the settings; energies in µAh are those of
-- a battery's voltage.
function M.text(nanojoules, settings)
  local name = settings.unit or 'auto'
  if nanojoules == 0 then
    return '0'
  end
  if name == 'uAh' then
    return three(nanojoules / (3.6e6 * (tonumber(settings.voltage) or 3.7))) .. ' µAh'
  end
  if not units[name] then
    local size = math.abs(nanojoules)
    name = size >= 0.9995e9 and 'J' or size >= 0.9995e6 and 'mJ' or size >= 999.5 and 'uJ' or 'nJ'
  end
  local unit = units[name]
  return (name == 'nJ' and '%.0f' or '%s'):format(name == 'nJ' and nanojoules or three(nanojoules / unit[1])) .. ' ' .. unit[2]
end

return M
