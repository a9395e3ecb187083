/** One command line from a program and its arguments, for the shell through which tools run it: sh, or cmd on Windows. */
export function shellQuote(argv: readonly string[], platform: NodeJS.Platform): string {
  return argv.map(platform === 'win32' ? quoteForCmd : quoteForSh).join(' ')
}

function quoteForSh(argument: string): string {
  if (/^[\w@%+:,./-]+$/.test(argument)) return argument
  return `'${argument.replaceAll("'", `'\\''`)}'`
}

/** Percent signs stay outside of the quotes behind a caret: within them cmd would still expand a variable. */
function quoteForCmd(argument: string): string {
  if (/^[\w@+=:,./\\-]+$/.test(argument)) return argument
  return argument.split('%').map(quoteForProgram).join('^%')
}

/** Quotes as Windows programs take their command line apart: backslashes count only before a quote. */
function quoteForProgram(part: string): string {
  return `"${part.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}
