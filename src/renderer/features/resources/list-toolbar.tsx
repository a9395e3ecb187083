import clsx from 'clsx'
import { ListFilter, RefreshCw, Search, SquareTerminal, X } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Menu, type MenuItem } from '../../ui/menu'
import toolbar from '../../ui/toolbar.module.css'
import type { ListPlace } from './list-address'
import type { Resource } from './resource'
import styles from './resources.module.css'
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

/** A text that is told, trimmed, once typing rests; another value from outside takes its place, but not the one it told itself. */
function useRested(value: string, tell: (text: string) => void) {
  const [text, setText] = useState(value)
  const told = useRef(value)
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setText(value)
  }, [value])
  const say = useCallback(
    (next: string): void => {
      told.current = next.trim()
      tell(told.current)
    },
    [tell],
  )
  useEffect(() => {
    if (text.trim() === told.current) return
    const timer = setTimeout(() => say(text), restMs)
    return () => clearTimeout(timer)
  }, [text, say])
  return { text, setText, say }
}

function ServerFilter({ resource, place, onChange }: Pick<ToolbarProps, 'resource' | 'place' | 'onChange'>) {
  const { t } = useTranslation('resources')
  const say = useText()
  const { filter } = resource.list
  const { text, setText, say: tell } = useRested(place.filter, (next) => onChange({ filter: next }))
  if (!filter) return null
  return (
    <TextInput
      type="search"
      className={clsx(toolbar.search, styles.search)}
      aria-label={say(filter.label)}
      placeholder={say(filter.label)}
      leading={<ListFilter size={14} aria-hidden="true" />}
      trailing={
        text === '' ? null : (
          <IconButton
            icon={X}
            size="sm"
            label={t('clearFilter')}
            onClick={() => {
              setText('')
              tell('')
            }}
          />
        )
      }
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') tell(text)
      }}
    />
  )
}

/** The server's filter, the search within the page, refresh, and the list as an API call. */
export function ListToolbar(props: ToolbarProps) {
  const { t } = useTranslation('resources')
  const { resource, place, onChange, isRefreshing, onRefresh, codeItems, shown, count, children } = props
  return (
    <div className={toolbar.bar}>
      <ServerFilter {...{ resource, place, onChange }} />
      <TextInput
        type="search"
        className={clsx(toolbar.search, styles.search)}
        aria-label={t('find')}
        placeholder={t('find')}
        leading={<Search size={14} aria-hidden="true" />}
        trailing={
          place.find === '' ? null : (
            <IconButton icon={X} size="sm" label={t('clearFind')} onClick={() => onChange({ find: '' })} />
          )
        }
        value={place.find}
        onChange={(event) => onChange({ find: event.target.value })}
      />
      <span className={toolbar.shown} role="status">
        {place.find === '' ? '' : t('foundInPage', { shown, count })}
      </span>
      <span className={styles.gap} />
      {children}
      <Menu align="end" items={codeItems} trigger={<IconButton icon={SquareTerminal} label={t('code.title')} />} />
      <IconButton icon={RefreshCw} label={t('refresh')} busy={isRefreshing} onClick={onRefresh} />
    </div>
  )
}
