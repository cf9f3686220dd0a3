std = 'luajit'
read_globals = { 'vim' }
globals = { 'vim.g', 'vim.b', 'vim.w', 'vim.o', 'vim.bo', 'vim.wo', 'vim.v', 'vim.env', 'vim.opt' }
max_line_length = 120
