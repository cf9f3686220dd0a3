--- What each operation on entries does to a conversation; doc/bridge.md lists them. One that names
--- an entry that is not there does nothing.
---@type table<string, fun(view: claude_bridge.ChatView, op: table)>
return {
  put = function(view, op)
    local item = view.items[op.entry.id]
    if not item then
      view:add(op.entry, #view.order + 1, vim.api.nvim_buf_line_count(view.buffer) - 1)
    elseif item.entry.kind == op.entry.kind then
      item:set(op.entry)
      view:changed(item)
    else
      local row, index = item:row(), view:index_of(item)
      view:drop(item)
      table.remove(view.order, index)
      view:add(op.entry, index, row)
    end
  end,
  append = function(view, op)
    local item = view.items[op.id]
    if item and item.field == op.field then
      item:append(op.text)
      view:changed(item)
    end
  end,
  patch = function(view, op)
    local item = view.items[op.id]
    if item then
      item:patch(op.fields)
      view:changed(item)
    end
  end,
  remove = function(view, op)
    local item = view.items[op.id]
    if item then
      table.remove(view.order, view:index_of(item))
      view:drop(item)
    end
  end,
  clear = function(view)
    view:clear()
  end,
}
