import { useTranslation } from 'react-i18next'
import { Button, ButtonLink } from '../../ui/button'
import { Segmented } from '../../ui/radio-cards'
import { SearchField } from '../../ui/search-field'
import toolbar from '../../ui/toolbar.module.css'
import { toolFilters } from './tool-list'
import { setUpPath } from './tool-status'
import { useToolsStore } from './tools-store'

/** Search and filter of the tools. */
export function ToolsToolbar({ shown, count }: { readonly shown: number; readonly count: number }) {
  const { t } = useTranslation('tools')
  const { text, filter } = useToolsStore((store) => store.sought)
  const seek = useToolsStore((store) => store.seek)
  return (
    <div className={toolbar.bar}>
      <SearchField
        label={t('find.label')}
        placeholder={t('find.hint')}
        value={text}
        onChange={(next) => seek({ text: next })}
        found={{ shown, count }}
        hasFindKey
      />
      <Segmented
        label={t('find.filter')}
        value={filter}
        onValueChange={(value) => seek({ filter: toolFilters.find((one) => one === value) ?? 'all' })}
        segments={toolFilters.map((value) => ({ value, label: t(`filters.${value}`) }))}
      />
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
