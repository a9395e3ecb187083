import type { ToolView } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Chips } from '../../ui/chips'
import { isHere } from '../tools/tool-list'
import styles from './handouts.module.css'

/** For which tools the kit has instructions: those of this computer first, the others on demand. */
export function ToolsField({
  tools,
  chosen,
  onChange,
}: {
  readonly tools: readonly ToolView[]
  readonly chosen: readonly string[]
  readonly onChange: (toolIds: readonly string[]) => void
}) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const [isAll, setIsAll] = useState(false)
  const usable = tools
    .filter(({ kind, routes }) => kind === 'guided' || (kind === 'written' && routes.includes('gateway')))
    .toSorted((a, b) => Number(isHere(b)) - Number(isHere(a)) || a.name.localeCompare(b.name))
  const first = usable.filter((tool) => isHere(tool) || chosen.includes(tool.id))
  const shown = isAll || first.length === 0 ? usable : first
  const more = usable.length - shown.length
  return (
    <div className={styles.tools}>
      <p className={styles.label}>{t('tools')}</p>
      <div className={styles.chips}>
        <Chips
          label={t('tools')}
          chips={shown.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={chosen}
          onChange={onChange}
        />
        {more > 0 ? (
          <Button size="sm" variant="ghost" onClick={() => setIsAll(true)}>
            {t('moreTools', { count: more })}
          </Button>
        ) : null}
      </div>
      <p className={styles.hint}>{t('toolsHint')}</p>
    </div>
  )
}
