-- What differs between versions of Neovim, where more than one file needs it.
local M = {}

-- call calls a function of a language client, which Neovim 0.11 made a method.
function M.call(client, name, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[name](client, ...)
  end
  return client[name](...)
end

return M
