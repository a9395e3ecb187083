import type { FailureCode } from '@shared/failure'
import { defaultShortcuts, type ShortcutId } from '@shared/shortcuts'
import i18next from 'i18next'
import { Pencil, RotateCcw, SearchX } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { explainFailure, isFailureCode } from '../../failures'
import { toSearchText } from '../../format'
import { failureCodes } from '../../i18n/en'
import { showFailureToast } from '../../i18n/failures'
import { useSettings, useUpdateSettings } from '../../settings'
import { findShortcutConflict, formatPressedKeys, splitShortcut, useShortcuts } from '../../shortcuts'
import { Button } from '../../ui/button'
import { Kbd, QuietCode } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { Card, EmptyState, Toolbar } from '../../ui/page'
import { SearchField } from '../../ui/search-field'
import { Hint } from '../../ui/text'

const t = i18next.getFixedT(null, ['help', 'shell', 'settings'])

const codes: readonly FailureCode[] = Object.entries(failureCodes)
  .flatMap(([area, whats]) => Object.keys(whats).map((codeName) => `${area}.${codeName}`))
  .filter(isFailureCode)

export function FailureText({ code, heading: Title }: { readonly code: FailureCode; readonly heading: 'h2' | 'h3' }) {
  const { title, explanation, remedy } = explainFailure({ code, message: '' })
  return (
    <div className="flex flex-col gap-2">
      <Title>{title}</Title>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-1">
        <dt className="text-muted">{t('errors.cause')}</dt>
        <dd>{explanation}</dd>
        <dt className="text-muted">{t('errors.remedy')}</dt>
        <dd>{remedy}</dd>
      </dl>
    </div>
  )
}

/** Searchable by code or text. Scrolls to the failure in the page address. */
export function FailureList() {
  const [search, setSearch] = useSearchParams()
  const codeInUrl = search.get('code')
  const text = search.get('q') ?? ''
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (codeInUrl !== null) item.current?.scrollIntoView({ block: 'center' })
  }, [codeInUrl])
  const searchText = toSearchText(text.trim())
  const shownCodes = codes.filter((code) => {
    const { title, explanation, remedy } = explainFailure({ code, message: '' })
    return toSearchText([code, title, explanation, remedy].join(' ')).includes(searchText)
  })
  return (
    <>
      <p className="text-muted">{t('errors.text')}</p>
      <Toolbar>
        <SearchField
          label={t('errors.search')}
          value={text}
          onChange={(q) => setSearch(q === '' ? {} : { q }, { replace: true })}
          found={{ shown: shownCodes.length, count: codes.length }}
          maxLength={100}
          hasFindKey
        />
      </Toolbar>
      {shownCodes.length === 0 ? (
        <EmptyState icon={SearchX} title={t('errors.none')} />
      ) : (
        <ul className="rounded-lg border bg-surface" aria-label={t('tabs.errors')}>
          {shownCodes.map((code) => (
            <li
              key={code}
              ref={code === codeInUrl ? item : undefined}
              aria-current={code === codeInUrl || undefined}
              className="border-t px-4 py-3.5 first:border-t-0 aria-[current=true]:bg-accent-soft"
            >
              <FailureText code={code} heading="h2" />
              <p className="mt-1.5 text-muted text-sm">
                <QuietCode>{code}</QuietCode>
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function getCommandName(id: ShortcutId): string {
  switch (id) {
    case 'palette':
    case 'find':
    case 'newChat':
    case 'rail':
    case 'help':
      return t(`shell:shortcuts.${id}`)
    default:
      return t('shell:shortcuts.goTo', { place: t(`shell:places.${id}`) })
  }
}

const ids = Object.keys(defaultShortcuts) as ShortcutId[]

/** Field that records the keys of a shortcut. Escape or leaving the field keeps the current keys. */
function NewKeys({ id, onDone }: { readonly id: ShortcutId; readonly onDone: (keys?: string) => void }) {
  const [problem, setProblem] = useState<string>()
  const handleKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') onDone()
    const keys = formatPressedKeys(event)
    if (keys === undefined || event.key === 'Escape') return
    const conflict = findShortcutConflict(id, keys)
    if (!conflict) {
      onDone(keys)
      return
    }
    setProblem(
      conflict.kind === 'used'
        ? t('shortcuts.used', { command: getCommandName(conflict.by) })
        : t(conflict.kind === 'taken' ? 'shortcuts.taken' : 'shortcuts.unfit'),
    )
  }
  return (
    <span className="flex flex-wrap items-center justify-end gap-x-3">
      <span role="alert" className="text-danger text-sm">
        {problem}
      </span>
      <Button size="sm" autoFocus onKeyDown={handleKeyDown} onBlur={() => onDone()}>
        {t('shortcuts.press')}
      </Button>
    </span>
  )
}

export function ShortcutList() {
  const shortcuts = useShortcuts()
  const { shortcuts: chosen = {} } = useSettings()
  const update = useUpdateSettings()
  const [changing, setChanging] = useState<ShortcutId>()
  const list = useRef<HTMLDListElement>(null)
  const save = (newShortcuts: Partial<Record<ShortcutId, string>>): void => {
    const changedShortcuts = Object.entries(newShortcuts).filter(
      ([id, keys]) => keys !== defaultShortcuts[id as ShortcutId],
    )
    const title = t('settings:notSaved')
    update({ shortcuts: Object.fromEntries(changedShortcuts) }).catch(showFailureToast({ title }))
  }
  const finishChange = (id: ShortcutId, keys?: string): void => {
    setChanging(undefined)
    if (keys !== undefined) save({ ...chosen, [id]: keys })
    // Focus the button after the next render. It does not exist while keys are recorded.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body)
        list.current?.querySelector<HTMLElement>(`[data-change="${id}"]`)?.focus()
    })
  }
  const zoomKeys = { in: '+', out: '-', reset: '0' } as const
  const zoomShortcuts = (['in', 'out', 'reset'] as const).map(
    (step) => [t(`settings:appearance.zoomSteps.${step}`), ['Mod', zoomKeys[step]]] as const,
  )
  const row = 'flex min-h-9 items-center justify-between gap-4 border-t first:border-t-0'
  return (
    <>
      <Card>
        <dl ref={list}>
          {ids.map((id) => (
            <div key={id} className={row}>
              <dt>{getCommandName(id)}</dt>
              <dd className="flex items-center gap-2">
                {changing === id ? (
                  <NewKeys id={id} onDone={(keys) => finishChange(id, keys)} />
                ) : (
                  <>
                    <Kbd keys={splitShortcut(shortcuts[id])} />
                    <IconButton
                      icon={Pencil}
                      size="sm"
                      data-change={id}
                      label={t('help:shortcuts.change', { command: getCommandName(id) })}
                      onClick={() => setChanging(id)}
                    />
                  </>
                )}
              </dd>
            </div>
          ))}
          {[...zoomShortcuts, [t('shell:shortcuts.dismiss'), ['Esc']] as const].map(([label, keys]) => (
            <div key={label} className={row}>
              <dt>{label}</dt>
              <dd className="mr-8">
                <Kbd keys={keys} />
              </dd>
            </div>
          ))}
        </dl>
      </Card>
      <div className="flex items-center justify-between gap-4">
        <Hint>{t('help:shortcuts.hint')}</Hint>
        {Object.keys(chosen).length === 0 ? null : (
          <Button size="sm" icon={RotateCcw} onClick={() => save({})}>
            {t('help:shortcuts.reset')}
          </Button>
        )}
      </div>
    </>
  )
}
