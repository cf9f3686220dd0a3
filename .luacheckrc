std = 'luajit'
read_globals = { 'vim' }
globals = { 'vim.g', 'vim.b', 'vim.w', 'vim.o', 'vim.bo', 'vim.wo', 'vim.v', 'vim.env', 'vim.opt' }
max_line_length = 120
-- A text is one string: broken over lines it cannot be searched for.
max_string_line_length = false
