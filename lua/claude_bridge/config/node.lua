--- The part of the options that the node side needs; `src/config.ts` parses it.
local M = {}

---@param path? string
---@return string?
local function absolute(path)
  if path then
    return vim.fn.fnamemodify(vim.fs.normalize(path), ':p')
  end
end

--- A bare name stays as it is: it lies in Jupyter's runtime folder.
---@param name? string
---@return string?
local function connection_file(name)
  return name and name:find('[/\\]') and absolute(name) or name
end

---@param config claude_bridge.Config
---@return table
function M.from(config)
  return {
    agents = config.agents,
    host = config.server.host,
    names = config.server.names,
    port = config.server.port,
    pid = config.server.pid,
    transport = config.server.transport,
    lock_dir = absolute(config.server.lock_dir),
    ide_name = config.server.ide_name,
    share_selection = require('claude_bridge.sharing').is_on(),
    exclude = config.privacy.enabled and config.privacy.exclude or {},
    outside_workspace = config.tools.outside_workspace,
    review_edits = config.diff.enabled,
    diff = {
      layout = config.diff.layout,
      focus = config.diff.focus,
      jump = config.diff.jump,
    },
    kernel = vim.tbl_extend('force', config.kernel, {
      connection_file = connection_file(config.kernel.connection_file),
    }),
    session = {
      agent = config.session.agent,
      agents = config.session.agents,
      attachment_limit = config.session.attachment_limit,
    },
    log_level = config.log.level,
    log_path = require('claude_bridge.log').path(),
  }
end

return M
