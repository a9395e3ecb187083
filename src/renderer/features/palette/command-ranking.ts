import type { Command } from './use-platform-commands'

/** Words that commands are found by besides their title, whatever the language of the window. Letters need no marks. */
const hints: Readonly<Record<string, string>> = {
  home: 'home start overview trang chu',
  tools: 'tools coding agents cong cu',
  profiles: 'profiles ho so',
  plans: 'plans subscriptions goi token',
  usage: 'usage consumption statistics charts muc su dung thong ke bieu do',
  playground: 'playground chat try thu nghiem',
  register: 'keys holders inventory register key nguoi giu khoa',
  team: 'team lead member postgres nhom',
  memory: 'memory memories bo nho',
  runtimes: 'runtimes agents containers',
  registry: 'registry images docker kho anh',
  identities: 'identities identity danh tinh',
  models: 'models api keys mo hinh',
  sandbox: 'sandbox simulation mo phong',
  connections: 'connections platforms addresses ket noi',
  settings: 'settings preferences options cai dat tuy chon',
  'add-plan': 'add new plan key them goi moi',
  'add-connection': 'add new connection platform them ket noi moi',
  'set-up-all': 'configure set up all tools cau hinh tat ca moi cong cu',
  history: 'change history undo revert backup lich su thay doi khoi phuc',
  examine: 'diagnose diagnostics doctor examine chan doan kham',
  'usage-left': 'quota remaining left allowance forecast quota con lai du bao han muc',
  'usage-errors': 'errors failed requests loi that bai',
  relay: 'relay proxy local',
  'relay-set-up': 'relay proxy route cau hinh',
  'relay-start': 'start relay turn on bat chay',
  'relay-pause': 'pause resume relay tam dung chay tiep',
  'relay-stop': 'stop relay turn off tat',
  alerts: 'alerts notifications warnings canh bao thong bao',
  budgets: 'budgets limits spending ngan sach gioi han',
  sources: 'sources storage logs data nguon luu tru du lieu',
  rotate: 'rotate key replace renew xoay doi khoa',
  rotations: 'rotations history progress luot xoay',
  'hand-out': 'issue hand out share give key cap khoa',
  'hand-out-many': 'issue hand out several many keys nhieu nguoi',
  receive: 'import receive open key file kit nhan khoa tep',
  'enter-code': 'confirmation acknowledgement code ma xac nhan',
  audit: 'audit log trail nhat ky',
  'chat-new': 'new chat conversation playground cuoc tro chuyen moi',
  'chat-compare': 'compare models side by side so sanh',
  'chat-prompts': 'prompts library templates thu vien mau',
  'chat-completion': 'completion complete text viet tiep',
  'chat-embeddings': 'embeddings vectors vector nhung',
  'container-check': 'check container contract health kiem tra',
  docker: 'docker login push pull dang nhap',
  about: 'about version runtime licences phien ban gioi thieu giay phep',
  'theme-system': 'theme appearance system giao dien he thong',
  'theme-light': 'light theme appearance bright giao dien sang',
  'theme-dark': 'dark theme appearance night giao dien toi',
  'language-system': 'language ngon ngu',
  'language-en': 'english language ngon ngu tieng anh',
  'language-vi': 'vietnamese language ngon ngu tieng viet',
  help: 'help what is this page guide tro giup huong dan',
  shortcuts: 'keyboard shortcuts hotkeys phim tat',
  errors: 'error codes failures causes remedy ma loi',
  tour: 'tour introduction first steps tham quan lam quen',
  news: 'what is new changelog release notes co gi moi',
}

/** Without the marks on the letters, so that "cong cu" finds "Công cụ". */
const plain = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').replace(/đ/gi, 'd').toLowerCase().trim()

const wordsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/** A command with the texts that it is found by. */
interface FindableCommand {
  readonly command: Command
  readonly title: string
  readonly titleWords: readonly string[]
  readonly hintWords: readonly string[]
}

export const toFindable = (command: Command): FindableCommand => {
  const title = plain(command.label)
  const also = plain(`${hints[command.id] ?? ''} ${command.also ?? ''}`)
  return { command, title, titleWords: wordsOf(title), hintWords: [...wordsOf(also), also] }
}

const begins = (words: readonly string[], sought: string): boolean => words.some((word) => word.startsWith(sought))

/** How well a command fits: its title first, then the words of the title, then its hints; 0 when it does not. */
function score({ title, titleWords, hintWords }: FindableCommand, query: string, sought: readonly string[]): number {
  if (title === query) return 7
  if (title.startsWith(query)) return titleWords.includes(sought.at(-1) ?? '') ? 6 : 5
  if (sought.every((word) => titleWords.includes(word))) return 4
  if (sought.every((word) => begins(titleWords, word))) return 3
  const isFound = (word: string): boolean => begins(titleWords, word) || begins(hintWords, word)
  if (sought.length > 0 && sought.every(isFound)) return 2
  return title.includes(query) ? 1 : 0
}

/**
 * The commands that fit a query, best first; of equals the one used last, then the order they came in. All of them for an empty query.
 * @param recent ids of the commands used lately, the newest first
 */
export function rankCommands(
  commands: readonly FindableCommand[],
  text: string,
  recent: readonly string[],
): readonly Command[] {
  const query = plain(text)
  if (query === '') return commands.map(({ command }) => command)
  const sought = wordsOf(query)
  const age = (id: string): number => (recent.includes(id) ? recent.indexOf(id) : recent.length)
  return commands
    .map((one) => ({ command: one.command, score: score(one, query, sought) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || age(a.command.id) - age(b.command.id))
    .map(({ command }) => command)
}
