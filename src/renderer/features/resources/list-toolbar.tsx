import { ListFilter, RefreshCw, SquareTerminal } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../ui/icon-button'
import { Menu, type MenuItem } from '../../ui/menu'
import { SearchField } from '../../ui/search-field'
import toolbar from '../../ui/toolbar.module.css'
import type { ListPlace } from './list-address'
import type { Resource } from './resource'
import resourcesStyles from './resources.module.css'
import { useText } from './use-text'

/** How long one stops typing before the server is asked, in ms. */
const restMs = 350

interface ToolbarProps {
  readonly resource: Resource
  readonly place: ListPlace
  readonly onChange: (change: Partial<ListPlace>) => void
  readonly isRefreshing: boolean
  readonly onRefresh: () => void
  readonly codeItems: readonly MenuItem[]
  /** How many rows of the page are shown of how many. */
  readonly shown: number
  readonly count: number
  readonly children?: ReactNode
}

function ServerFilter({ resource, place, onChange }: Pick<ToolbarProps, 'resource' | 'place' | 'onChange'>) {
  const { t } = useTranslation('resources')
  const say = useText()
  const { filter } = resource.list
  const change = useCallback((next: string) => onChange({ filter: next }), [onChange])
  const { text, setText, say: tell } = useRested(place.filter, change, restMs)
  if (!filter) return null
  return (
    <SearchField
      icon={ListFilter}
      label={say(filter.label)}
      clearLabel={t('clearFilter')}
      value={text}
      onChange={setText}
      onSubmit={tell}
    />
  )
}

function FindInPage({ place, onChange, shown, count }: Pick<ToolbarProps, 'place' | 'onChange' | 'shown' | 'count'>) {
  const { t } = useTranslation('resources')
  const change = useCallback((find: string) => onChange({ find }), [onChange])
  // The address follows a moment after each letter, which a field must not wait for.
  const { text, setText, say } = useRested(place.find, change, 0)
  return (
    <SearchField label={t('find')} value={text} onChange={setText} onSubmit={say} found={{ shown, count }} hasFindKey />
  )
}

/** The server's filter, the search within the page, refresh, and the list as an API call. */
export function ListToolbar(props: ToolbarProps) {
  const { t } = useTranslation('resources')
  const { resource, place, onChange, isRefreshing, onRefresh, codeItems, shown, count, children } = props
  return (
    <div className={toolbar.bar}>
      <ServerFilter {...{ resource, place, onChange }} />
      <FindInPage {...{ place, onChange, shown, count }} />
      <span className={resourcesStyles.gap} />
      {children}
      <Menu align="end" items={codeItems} trigger={<IconButton icon={SquareTerminal} label={t('code.title')} />} />
      <IconButton icon={RefreshCw} label={t('refresh')} busy={isRefreshing} onClick={onRefresh} />
    </div>
  )
}

/** What is typed while `value` follows behind, as the address does. It is told, trimmed, once typing rests for `restMs`; a value from outside takes its place, but none that it told itself. */
function useRested(value: string, tell: (text: string) => void, restMs: number) {
  const [text, setText] = useState(value)
  // Those that did not come back yet, the last that did first.
  const told = useRef([value])
  useEffect(() => {
    const at = told.current.indexOf(value)
    told.current = at < 0 ? [value] : told.current.slice(at)
    if (at < 0) setText(value)
  }, [value])
  const say = useCallback(
    (next: string): void => {
      const words = next.trim()
      if (words === told.current.at(-1)) return
      told.current.push(words)
      tell(words)
    },
    [tell],
  )
  useEffect(() => {
    const timer = setTimeout(() => say(text), restMs)
    return () => clearTimeout(timer)
  }, [text, say, restMs])
  return { text, setText, say }
}
