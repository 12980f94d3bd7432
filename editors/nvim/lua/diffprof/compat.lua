-- Functions that hide differences between versions of Neovim, for several files.
local M = {}

-- call calls a function of a language client. From Neovim 0.11 on, these functions are methods.
function M.call(client, name, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[name](client, ...)
  end
  return client[name](...)
end

return M
