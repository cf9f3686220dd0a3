std = 'luajit'
read_globals = { 'vim' }
globals = { 'vim.g', 'vim.b', 'vim.w', 'vim.o', 'vim.bo', 'vim.wo', 'vim.v', 'vim.env', 'vim.opt' }
-- stylua breaks code; a text for the user stays one string, so that it can be searched for.
max_line_length = false
