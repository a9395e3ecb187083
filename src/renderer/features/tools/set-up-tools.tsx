import type { ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Checkbox } from '../../ui/checkbox'
import { Section } from '../../ui/page'
import { deliveriesOf } from './choice'
import styles from './set-up.module.css'

interface SetUpToolsProps {
  /** Those that can be chosen. */
  readonly tools: readonly ToolView[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** Which tools are set up together, and how each will get the key. */
export function SetUpTools({ tools, chosen, onChange }: SetUpToolsProps) {
  const { t } = useTranslation('tools')
  const isAll = tools.every(({ id }) => chosen.has(id))
  const toggle = (id: string, isIn: boolean): void =>
    onChange(new Set(tools.map((tool) => tool.id).filter((one) => (one === id ? isIn : chosen.has(one)))))
  return (
    <Section
      title={t('many.tools')}
      actions={
        <span className={styles.all}>
          <Checkbox
            checked={isAll ? true : chosen.size > 0 ? 'indeterminate' : false}
            onCheckedChange={() => onChange(new Set(isAll ? [] : tools.map(({ id }) => id)))}
            label={t('selectAll')}
          />
          {t('many.chosen', { chosen: chosen.size, count: tools.length })}
        </span>
      }
    >
      <ul className={styles.tools} aria-label={t('many.tools')}>
        {tools.map((tool) => {
          const [delivery = 'plain'] = deliveriesOf(tool)
          const id = `set-up-${tool.id}`
          return (
            <li key={tool.id} className={styles.tool}>
              <Checkbox
                id={id}
                checked={chosen.has(tool.id)}
                onCheckedChange={(isIn) => toggle(tool.id, isIn)}
                label={t('select', { tool: tool.name })}
              />
              <label htmlFor={id} className={styles.words}>
                <span>{tool.name}</span>
                <span className={styles.how}>{t(`deliveries.${delivery}`)}</span>
              </label>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
