import { Command as List } from 'cmdk'
import { ChevronsDown, Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../session'
import { Kbd } from '../../ui/code'
import { rankCommands, toFindable } from './command-ranking'
import styles from './palette.module.css'
import { useCommands } from './use-commands'
import { type Command, commandGroups } from './use-platform-commands'

/** So many commands of a group are drawn at first, so many of what is found, and so many more with each press. */
const shownOf = { group: 12, found: 50, more: 100 } as const

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
          className={styles.item}
        >
          <Icon size={15} strokeWidth={1.75} aria-hidden="true" />
          <span className={styles.label}>{label}</span>
          {keys ? <Kbd keys={keys} /> : null}
        </List.Item>
      ))}
      {left > 0 ? (
        <List.Item value={`more-${part}`} onSelect={() => setPages(pages + 1)} className={styles.item}>
          <ChevronsDown size={15} strokeWidth={1.75} aria-hidden="true" />
          <span className={styles.more}>{t('more', { count: Math.min(left, shownOf.more), left })}</span>
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
      <List.Group key={group} heading={t(`groups.${group}`)} className={styles.group}>
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
      <div className={styles.search}>
        <Search size={16} strokeWidth={1.8} aria-hidden="true" />
        <List.Input
          autoFocus
          value={query}
          onValueChange={setQuery}
          placeholder={t('placeholder')}
          className={styles.input}
        />
        <Kbd keys={['Esc']} />
      </div>
      <List.List className={styles.list} label={t('title')}>
        <List.Empty className={styles.empty}>{t('empty')}</List.Empty>
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
  const noteCommand = useSession((session) => session.noteCommand)
  const finish = (id: string): void => {
    noteCommand(id)
    openPalette(false)
  }
  return (
    <Dialog.Root open onOpenChange={openPalette}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content className={styles.palette} aria-describedby={undefined}>
          <Dialog.Title className="sr-only">{t('title')}</Dialog.Title>
          <AllCommands onDone={finish} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
