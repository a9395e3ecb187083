import { Command as List } from 'cmdk'
import { ChevronsDown, Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../session'
import { cn } from '../../ui/cn'
import { Kbd } from '../../ui/code'
import { useFocusReturn } from '../../ui/dialog'
import { rankCommands, toFindable } from './command-ranking'
import { useCommands } from './use-commands'
import { type Command, commandGroups } from './use-platform-commands'

/** So many commands of a group are drawn at first, so many of what is found, and so many more with each press. */
const shownOf = { group: 12, found: 50, more: 100 } as const

const item = cn(
  'flex h-8.5 items-center gap-2.5 rounded-md pr-2 pl-2.5 [&_svg]:text-muted',
  'data-[selected=true]:bg-accent-soft data-[selected=true]:[&_svg]:text-accent-text',
)

interface ItemsProps {
  readonly commands: readonly Command[]
  /** Names this part of the list among the others. */
  readonly part: string
  readonly limit: number
  readonly onDone: (id: string) => void
}

/** The first commands of a list, and what shows more of them. */
function Items({ commands, part, limit, onDone }: ItemsProps) {
  const { t } = useTranslation('palette')
  const [pages, setPages] = useState(0)
  const shown = limit + pages * shownOf.more
  const left = commands.length - shown
  return (
    <>
      {commands.slice(0, shown).map(({ id, label, icon: Icon, keys, run }) => (
        <List.Item
          key={id}
          value={id}
          onSelect={() => {
            onDone(id)
            run()
          }}
          className={item}
        >
          <Icon size={15} strokeWidth={1.75} aria-hidden="true" />
          <span className="min-w-0 flex-1 truncate">{label}</span>
          {keys ? <Kbd keys={keys} /> : null}
        </List.Item>
      ))}
      {left > 0 ? (
        <List.Item value={`more-${part}`} onSelect={() => setPages(pages + 1)} className={item}>
          <ChevronsDown size={15} strokeWidth={1.75} aria-hidden="true" />
          <span className="text-muted">{t('more', { count: Math.min(left, shownOf.more), left })}</span>
        </List.Item>
      ) : null}
    </>
  )
}

/** Every command, by groups; what was used last stands on top. */
function Groups({ commands, onDone }: Pick<ItemsProps, 'commands' | 'onDone'>) {
  const { t } = useTranslation('palette')
  const recentIds = useSession((session) => session.recentCommands)
  const recent = recentIds.flatMap((id) => commands.find((command) => command.id === id) ?? [])
  const others = commands.filter((command) => !recent.includes(command))
  return (['recent', ...commandGroups] as const).map((group) => {
    const inside = group === 'recent' ? recent : others.filter((command) => command.group === group)
    return inside.length === 0 ? null : (
      <List.Group
        key={group}
        heading={t(`groups.${group}`)}
        className={cn(
          '**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1',
          '**:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-faint',
          '**:[[cmdk-group-heading]]:text-xs',
        )}
      >
        <Items commands={inside} part={group} limit={shownOf.group} onDone={onDone} />
      </List.Group>
    )
  })
}

/** The field, and below it all commands, or those that fit what was typed, best first. */
function Finder({ commands, onDone }: Pick<ItemsProps, 'commands' | 'onDone'>) {
  const { t } = useTranslation('palette')
  const [query, setQuery] = useState('')
  const recent = useSession((session) => session.recentCommands)
  const findable = useMemo(() => commands.map(toFindable), [commands])
  const found = useMemo(() => rankCommands(findable, query, recent), [findable, query, recent])
  return (
    <List label={t('title')} loop shouldFilter={false}>
      <div className="flex h-12 items-center gap-2.5 border-b pr-3.5 pl-4 text-faint">
        <Search size={16} strokeWidth={1.8} aria-hidden="true" />
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
        {query.trim() === '' ? (
          <Groups commands={commands} onDone={onDone} />
        ) : (
          <Items key={query} commands={found} part="found" limit={shownOf.found} onDone={onDone} />
        )}
      </List.List>
    </List>
  )
}

/** The commands are made once, not with each letter that is typed. */
function AllCommands({ onDone }: Pick<ItemsProps, 'onDone'>) {
  return <Finder commands={useCommands()} onDone={onDone} />
}

/** Finds a place or a command by its name: Ctrl or Command with K. */
export function Palette() {
  const { t } = useTranslation('palette')
  const openPalette = useSession((session) => session.openPalette)
  const returnFocus = useFocusReturn(true)
  const noteCommand = useSession((session) => session.noteCommand)
  const finish = (id: string): void => {
    noteCommand(id)
    openPalette(false)
  }
  return (
    <Dialog.Root open onOpenChange={openPalette}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-[light-dark(rgb(18_20_28/0.2),rgb(0_0_0/0.44))]" />
        <Dialog.Content
          className={cn(
            'fixed top-[14vh] left-1/2 z-41 w-[min(600px,calc(100vw-48px))] -translate-x-1/2 animate-fade',
            'overflow-hidden rounded-[12px] border bg-raised shadow-float',
          )}
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
        >
          <Dialog.Title className="sr-only">{t('title')}</Dialog.Title>
          <AllCommands onDone={finish} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
