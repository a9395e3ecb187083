import { Search, X } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, ButtonLink } from '../../ui/button'
import { TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Segmented } from '../../ui/radio-cards'
import toolbar from '../../ui/toolbar.module.css'
import { toolFilters } from './tool-list'
import { setUpPath } from './tool-status'
import { useToolsStore } from './tools-store'
import { useFindKey } from './use-find-key'

/** Search (also by Ctrl+F) and filter of the tools. */
export function ToolsToolbar({ shown, count }: { readonly shown: number; readonly count: number }) {
  const { t } = useTranslation('tools')
  const { text, filter } = useToolsStore((store) => store.sought)
  const seek = useToolsStore((store) => store.seek)
  const bar = useRef<HTMLDivElement>(null)
  useFindKey(bar)
  const isNarrowed = text !== '' || filter !== 'all'
  return (
    <div ref={bar} className={toolbar.bar}>
      <TextInput
        type="search"
        className={toolbar.search ?? ''}
        aria-label={t('find.label')}
        aria-keyshortcuts="Control+F Meta+F"
        placeholder={t('find.hint')}
        leading={<Search size={14} aria-hidden="true" />}
        trailing={
          text === '' ? null : (
            <IconButton icon={X} size="sm" label={t('find.clear')} onClick={() => seek({ text: '' })} />
          )
        }
        value={text}
        onChange={(event) => seek({ text: event.target.value })}
      />
      <Segmented
        label={t('find.filter')}
        value={filter}
        onValueChange={(value) => seek({ filter: toolFilters.find((one) => one === value) ?? 'all' })}
        segments={toolFilters.map((value) => ({ value, label: t(`filters.${value}`) }))}
      />
      <span className={toolbar.shown} role="status">
        {isNarrowed ? t('find.shown', { shown, count }) : ''}
      </span>
    </div>
  )
}

/** What can be done with the tools that are ticked; stands where search and filter stand otherwise. */
export function SelectionBar({
  toolIds,
  onClear,
}: {
  readonly toolIds: readonly string[]
  readonly onClear: () => void
}) {
  const { t } = useTranslation('tools')
  const count = toolIds.length
  return (
    <section className={toolbar.selected} aria-label={t('selected', { count })}>
      <p role="status" className={toolbar.chosen}>
        {t('selected', { count })}
      </p>
      <Button size="sm" variant="ghost" onClick={onClear}>
        {t('clearSelection')}
      </Button>
      <ButtonLink size="sm" variant="primary" to={setUpPath({ toolIds })}>
        {t('setUpMany', { count })}
      </ButtonLink>
    </section>
  )
}
