std = 'luajit'
read_globals = { 'vim' }
globals = {
  'vim.g',
  'vim.b',
  'vim.w',
  'vim.o',
  'vim.go',
  'vim.bo',
  'vim.wo',
  'vim.v',
  'vim.env',
  'vim.opt',
  'vim.paste',
}
-- A method keeps its form also where it needs nothing of its object.
self = false
-- stylua breaks code; a text for the user stays one string, so that it can be searched for.
max_line_length = false
