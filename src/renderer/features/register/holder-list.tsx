import type { RegisterEntry } from '@shared/contract'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { Search, UserRound, UserX } from 'lucide-react'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatList, toSearchText, useFormats } from '../../format'
import { Loaded } from '../../loaded'
import { registerPath } from '../../paths'
import { StatusDot } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState, Toolbar } from '../../ui/page'
import { Facts, Row, RowMark, type RowPlace } from '../../ui/rows'
import { SearchField } from '../../ui/search-field'
import { SkeletonRows } from '../../ui/skeleton'
import { useScrollPlace } from '../../ui/use-scroll-place'
import { entryKey, holderIcon, isToHandOut, useReplacements } from '../account'
import { type HeldKeys, isRevocable, listHolders, useRegister } from './entries'
import { statusTones } from './register-table'
import { RevokeDialog } from './revoke-dialog'

/** One key of a holder: how it stands, for whom else it is, and what here uses it. */
function Key({ entry, holder }: { readonly entry: RegisterEntry; readonly holder: string }) {
  const { t } = useTranslation('register')
  const { locale } = useFormats()
  const replacement = useReplacements()(entry.keyId)
  const { keyName: key, planName: plan, status, tools, alsoServes, holder: noted } = entry
  const others = [...(noted ? [noted.name] : []), ...alsoServes].filter((name) => name !== holder)
  return (
    <li className="min-w-0">
      <Facts
        items={[
          t('keyOfPlan', { key, plan }),
          <StatusDot
            key="status"
            tone={replacement && status === 'ACTIVE' ? 'warning' : statusTones[status]}
            label={replacement?.text ?? t(`statuses.${status}`)}
          />,
          isToHandOut(entry) && t('toHandOut'),
          others.length > 0 && t('alsoServes', { names: formatList(others, locale) }),
          tools.length > 0 && formatList(tools, locale),
        ]}
      />
    </li>
  )
}

interface HolderRowProps {
  readonly held: HeldKeys
  readonly place: RowPlace
  /** Undefined while not all of their keys are known. */
  readonly onRevoke: (() => void) | undefined
}

function HolderRow({ held, place, onRevoke }: HolderRowProps) {
  const { t } = useTranslation('register')
  const { holder, entries } = held
  return (
    <Row
      place={place}
      leading={<RowMark icon={holderIcon(holder)} />}
      title={holder.name}
      description={
        <ul className="flex flex-col gap-0.5" aria-label={t('holders.keysOf', { holder: holder.name })}>
          {entries.map((entry) => (
            <Key key={entryKey(entry)} entry={entry} holder={holder.name} />
          ))}
        </ul>
      }
      trailing={
        <Button
          size="sm"
          icon={UserX}
          disabled={onRevoke === undefined || !entries.some(isRevocable)}
          aria-label={t('revokeAllOf', { holder: holder.name })}
          onClick={onRevoke}
        >
          {t('holders.revokeAll')}
        </Button>
      }
    />
  )
}

function NoHolders() {
  const { t } = useTranslation('register')
  return (
    <EmptyState
      icon={UserRound}
      title={t('holders.none')}
      actions={<ButtonLink to={registerPath}>{t('holders.toKeys')}</ButtonLink>}
    >
      {t('holders.noneText')}
    </EmptyState>
  )
}

const nameOf = ({ holder }: HeldKeys): string => holder.name
/** A row with one line for each key. */
const heightOf = ({ entries }: HeldKeys): number => 38 + 20 * Math.max(1, entries.length)

function Holders({ all, isAsking }: { readonly all: readonly HeldKeys[]; readonly isAsking: boolean }) {
  const { t } = useTranslation('register')
  const [text, setText] = useState('')
  const [leaving, setLeaving] = useState<HeldKeys>()
  const found = all.filter(({ holder }) => toSearchText(holder.name).includes(toSearchText(text.trim())))
  const close = (): void => setLeaving(undefined)
  return (
    <div className="flex flex-col gap-3">
      <Toolbar>
        <SearchField
          label={t('holders.search')}
          value={text}
          onChange={setText}
          found={{ shown: found.length, count: all.length }}
          hasFindKey
        />
      </Toolbar>
      {found.length === 0 ? (
        <EmptyState icon={Search} title={t('holders.noMatch', { text })} />
      ) : (
        <VirtualRows label={t('tabs.holders')} items={found} keyOf={nameOf} heightOf={heightOf}>
          {(held, place) => (
            <HolderRow
              key={held.holder.name}
              held={held}
              place={place}
              onRevoke={isAsking ? undefined : () => setLeaving(held)}
            />
          )}
        </VirtualRows>
      )}
      {leaving ? (
        <RevokeDialog
          entries={leaving.entries.filter(isRevocable)}
          holder={leaving.holder.name}
          onClose={close}
          onDone={close}
        />
      ) : null}
    </div>
  )
}

/** Everybody who holds a key, each with all of theirs, and the one step that ends them when somebody leaves. */
export function HolderList() {
  const query = useRegister()
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={6} />}>
      {(entries) => {
        const all = listHolders(entries.filter(({ status }) => status !== 'gone'))
        if (all.length > 0) return <Holders all={all} isAsking={query.isAsking} />
        return query.isAsking ? <SkeletonRows rows={6} /> : <NoHolders />
      }}
    </Loaded>
  )
}

interface VirtualRowsProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** How high its row is likely to be, in px. */
  readonly heightOf: (item: Item) => number
  readonly children: (item: Item, place: RowPlace) => ReactNode
}

/** A framed list of `Row`s of any height, of which only those near the screen are drawn; the page around it scrolls. */
function VirtualRows<Item>({ label, items, keyOf, heightOf, children }: VirtualRowsProps<Item>) {
  const frame = useRef<HTMLUListElement>(null)
  const focused = useRef(-1)
  const place = useScrollPlace(frame)
  const virtualizer = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: items.length,
    getItemKey: useCallback(
      (index: number) => {
        const item = items[index]
        return item === undefined ? index : keyOf(item)
      },
      [items, keyOf],
    ),
    estimateSize: (index) => {
      const item = items[index]
      return item === undefined ? 0 : heightOf(item)
    },
    getScrollElement: () => place.scroller,
    scrollMargin: place.top,
    overscan: 4,
    useFlushSync: false,
    // The row with the focus stays, wherever one scrolls to.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), focused.current])]
        .filter((index) => index >= 0 && index < range.count)
        .sort((a, b) => a - b),
  })
  const noteFocus = (target: Element): void => {
    const index = Number(target.closest('[data-index]')?.getAttribute('data-index') ?? -1)
    focused.current = index
  }
  return (
    <ul
      ref={frame}
      aria-label={label}
      className="relative box-content rounded-lg border bg-surface"
      style={{ height: virtualizer.getTotalSize() }}
      onFocus={({ target }) => noteFocus(target)}
    >
      {virtualizer.getVirtualItems().map(({ index, start }) => {
        const item = items[index]
        const top = start - virtualizer.options.scrollMargin
        return item === undefined
          ? null
          : children(item, { index, count: items.length, top, measure: virtualizer.measureElement })
      })}
    </ul>
  )
}
