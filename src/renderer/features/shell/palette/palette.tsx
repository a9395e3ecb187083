import { Command as List } from 'cmdk'
import i18next from 'i18next'
import { ChevronsDown, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { toSearchText } from '../../../format'
import { noteCommand, openPalette, useSession } from '../../../session'
import { joinClassNames } from '../../../ui/cn'
import { Kbd } from '../../../ui/code'
import { FinderDialog, useFocusReturn } from '../../../ui/dialog'
import { type Command, commandGroups, useCommands } from './use-commands'

const t = i18next.getFixedT(null, 'palette')

/** Maximum number of commands per group and of search results, and how many rows "show more" adds. */
const shownLimits = { group: 12, found: 50, more: 100 } as const

const item = joinClassNames(
  'flex h-8.5 items-center gap-2.5 rounded-md pr-2 pl-2.5 [&_svg]:text-muted',
  'data-[selected=true]:bg-accent-soft data-[selected=true]:[&_svg]:text-accent-text',
)

interface ItemsProps {
  readonly commands: readonly Command[]
  /** Suffix that makes the id of the "show more" row unique. */
  readonly part: string
  readonly limit: number
  readonly onDone: (id: string) => void
}

function Items({ commands, part, limit, onDone }: ItemsProps) {
  const navigate = useNavigate()
  const [pages, setPages] = useState(0)
  const shownCount = limit + pages * shownLimits.more
  const hiddenCount = commands.length - shownCount
  return (
    <>
      {commands.slice(0, shownCount).map(({ id, label, icon: Icon, keys, ...action }) => (
        <List.Item
          key={id}
          value={id}
          onSelect={() => {
            onDone(id)
            if ('path' in action) void navigate(action.path)
            else action.run()
          }}
          className={item}
        >
          <Icon size={15} strokeWidth={1.75} />
          <span className="min-w-0 flex-1 truncate">{label}</span>
          {keys ? <Kbd keys={keys} /> : null}
        </List.Item>
      ))}
      {hiddenCount > 0 ? (
        <List.Item value={`more-${part}`} onSelect={() => setPages(pages + 1)} className={item}>
          <ChevronsDown size={15} strokeWidth={1.75} />
          <span className="text-muted">
            {t('more', { count: Math.min(hiddenCount, shownLimits.more), left: hiddenCount })}
          </span>
        </List.Item>
      ) : null}
    </>
  )
}

/** List of all commands by group. Recently used commands come first. */
function Groups({ commands, onDone }: Pick<ItemsProps, 'commands' | 'onDone'>) {
  const recentIds = useSession((session) => session.recentCommands)
  const recentCommands = recentIds.flatMap((id) => commands.find((command) => command.id === id) ?? [])
  const otherCommands = commands.filter((command) => !recentCommands.includes(command))
  return (['recent', ...commandGroups] as const).map((group) => {
    const groupCommands =
      group === 'recent' ? recentCommands : otherCommands.filter((command) => command.group === group)
    return groupCommands.length === 0 ? null : (
      <List.Group
        key={group}
        heading={t(`groups.${group}`)}
        className={joinClassNames(
          '**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1',
          '**:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-faint',
          '**:[[cmdk-group-heading]]:text-xs',
        )}
      >
        <Items commands={groupCommands} part={group} limit={shownLimits.group} onDone={onDone} />
      </List.Group>
    )
  })
}

/** All commands or matches, best first. */
function Finder({ commands, onDone }: Pick<ItemsProps, 'commands' | 'onDone'>) {
  const [query, setQuery] = useState('')
  const recentIds = useSession((session) => session.recentCommands)
  const isSearching = query.trim() !== ''
  // Prepare the search only when the user types. Thousands of commands would delay opening.
  const findableCommands = useMemo(
    () => (isSearching ? commands.map(toSearchableCommand) : []),
    [commands, isSearching],
  )
  const foundCommands = useMemo(
    () => rankCommands(findableCommands, query, recentIds),
    [findableCommands, query, recentIds],
  )
  return (
    <List label={t('title')} loop shouldFilter={false}>
      <div className="flex h-12 items-center gap-2.5 border-b pr-3.5 pl-4 text-faint">
        <Search size={16} strokeWidth={1.8} />
        <List.Input
          autoFocus
          value={query}
          onValueChange={setQuery}
          placeholder={t('placeholder')}
          className="h-full min-w-0 flex-1 text-[14px] text-text focus-visible:outline-none"
        />
        <Kbd keys={['Esc']} />
      </div>
      <List.List className="max-h-[min(400px,58vh)] scroll-p-1.5 overflow-auto p-1.5" label={t('title')}>
        <List.Empty className="p-7 text-center text-muted">{t('empty')}</List.Empty>
        {isSearching ? (
          <Items key={query} commands={foundCommands} part="found" limit={shownLimits.found} onDone={onDone} />
        ) : (
          <Groups commands={commands} onDone={onDone} />
        )}
      </List.List>
    </List>
  )
}

/** Command palette, opened with Ctrl+K or Command+K. */
export function Palette() {
  const returnFocus = useFocusReturn(true)
  // Built when the palette opens, and not at each keystroke.
  const commands = useCommands()
  const finishCommand = (id: string): void => {
    noteCommand(id)
    openPalette(false)
  }
  return (
    <FinderDialog title={t('title')} onClose={() => openPalette(false)} onCloseAutoFocus={returnFocus}>
      <Finder commands={commands} onDone={finishCommand} />
    </FinderDialog>
  )
}

/** Search keywords in all languages, without diacritics. */
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

const splitWords = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

interface FindableCommand {
  readonly command: Command
  readonly title: string
  readonly titleWords: readonly string[]
  readonly hintWords: readonly string[]
}

const toSearchableCommand = (command: Command): FindableCommand => {
  const title = toSearchText(command.label).trim()
  const otherTerms = toSearchText(`${hints[command.id] ?? ''} ${command.also ?? ''}`).trim()
  return { command, title, titleWords: splitWords(title), hintWords: [...splitWords(otherTerms), otherTerms] }
}

const hasPrefix = (texts: readonly string[], sought: string): boolean => texts.some((word) => word.startsWith(sought))

/** Match score: title, then words of the title, then hints. 0 means no match. */
function score({ title, titleWords, hintWords }: FindableCommand, query: string, sought: readonly string[]): number {
  if (title === query) return 7
  if (title.startsWith(query)) return titleWords.includes(sought.at(-1) ?? '') ? 6 : 5
  if (sought.every((word) => titleWords.includes(word))) return 4
  if (sought.every((word) => hasPrefix(titleWords, word))) return 3
  const isWordPrefix = (word: string): boolean => hasPrefix(titleWords, word) || hasPrefix(hintWords, word)
  if (sought.length > 0 && sought.every(isWordPrefix)) return 2
  return title.includes(query) ? 1 : 0
}

/** Best match first, then most recently used, then the original order. */
function rankCommands(
  commands: readonly FindableCommand[],
  text: string,
  recent: readonly string[],
): readonly Command[] {
  const query = toSearchText(text).trim()
  if (query === '') return commands.map(({ command }) => command)
  const searchWords = splitWords(query)
  const getRecency = (id: string): number => (recent.includes(id) ? recent.indexOf(id) : recent.length)
  return commands
    .map((candidate) => ({ command: candidate.command, score: score(candidate, query, searchWords) }))
    .filter((match) => match.score > 0)
    .sort((a, b) => b.score - a.score || getRecency(a.command.id) - getRecency(b.command.id))
    .map(({ command }) => command)
}
