import type { RotationPlan } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { endsKey, stepIds } from './progress'
import { RestartHint } from './restart-note'
import styles from './rotation.module.css'
import { useGraceWords } from './use-grace-words'
import { useToolNames } from './use-tool-names'

interface PlannedStepsProps {
  readonly preview: RotationPlan
  readonly newKey: string
  readonly graceMs: number | undefined
}

/** The tools and profiles that are moved, by name. */
function Moved({ preview }: Pick<PlannedStepsProps, 'preview'>) {
  const { t } = useTranslation('rotation')
  const { locale } = useFormats()
  const namesOf = useToolNames()
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })
  const { tools, profiles } = preview
  if (tools.length === 0 && profiles.length === 0) return <p className={styles.names}>{t('plan.toolsNone')}</p>
  return (
    <>
      {tools.length > 0 ? <p className={styles.names}>{t('plan.tools', { names: namesOf(tools) })}</p> : null}
      {profiles.length > 0 ? (
        <p className={styles.names}>{t('plan.profiles', { names: list.format(profiles) })}</p>
      ) : null}
    </>
  )
}

/** What will happen, step by step, with the things it will happen to by name. */
export function PlannedSteps({ preview, newKey, graceMs }: PlannedStepsProps) {
  const { t } = useTranslation('rotation')
  const graceWords = useGraceWords()
  const { slots, keyName } = preview
  const values = {
    newKey,
    key: keyName,
    next: Math.min(slots.used + 1, slots.most),
    most: slots.most,
    time: graceWords(graceMs ?? 0),
  }
  return (
    <ol className={styles.planned} aria-label={t('plan.steps')}>
      {stepIds.map((id, at) => (
        <li key={id} className={styles.plannedStep}>
          <span className={styles.number} aria-hidden="true">
            {at + 1}
          </span>
          <p className={styles.stepTitle}>{t(`steps.${id}.title`)}</p>
          <div className={styles.stepText}>
            <p className={styles.hint}>{id === 'grace' && !graceMs ? t('noWaiting') : t(`steps.${id}.plan`, values)}</p>
            {id === 'repoint' ? <Moved preview={preview} /> : null}
            {endsKey(id) ? <RestartHint tools={preview.tools} /> : null}
          </div>
        </li>
      ))}
    </ol>
  )
}
