import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../ui/field'
import { Segmented } from '../../ui/radio-cards'
import { Select } from '../../ui/select'
import { type Grace, type GraceUnit, graceMsOf, gracePeriods, graceUnits } from './grace'
import styles from './rotation.module.css'
import { useGraceWords } from './use-grace-words'

const isUnit = (text: string): text is GraceUnit => text in graceUnits

function Custom({ grace, onChange }: GraceFieldProps) {
  const { t } = useTranslation('rotation')
  const isWrong = graceMsOf(grace) === undefined
  return (
    <div className={styles.custom}>
      <Field label={t('grace.amount')} error={isWrong ? t('grace.invalid') : undefined}>
        <TextInput
          autoFocus
          inputMode="numeric"
          value={grace.amount}
          onChange={(event) => onChange({ ...grace, amount: event.target.value })}
        />
      </Field>
      <Field label={t('grace.unit')}>
        <Select
          value={grace.unit}
          onValueChange={(unit) => isUnit(unit) && onChange({ ...grace, unit })}
          options={[
            { value: 'hour', label: t('grace.units.hour') },
            { value: 'day', label: t('grace.units.day') },
          ]}
        />
      </Field>
    </div>
  )
}

interface GraceFieldProps {
  readonly grace: Grace
  readonly onChange: (grace: Grace) => void
}

/** When the old key is deleted: at once, after a while, or after a while of one's own. */
export function GraceField({ grace, onChange }: GraceFieldProps) {
  const { t } = useTranslation('rotation')
  const words = useGraceWords()
  return (
    <div className={styles.grace}>
      <p className={styles.label}>{t('grace.label')}</p>
      <Segmented
        label={t('grace.label')}
        value={String(grace.chosen)}
        onValueChange={(value) => onChange({ ...grace, chosen: value === 'custom' ? value : Number(value) })}
        segments={[
          ...gracePeriods.map((ms) => ({ value: String(ms), label: ms === 0 ? t('grace.now') : words(ms) })),
          { value: 'custom', label: t('grace.custom') },
        ]}
      />
      {grace.chosen === 'custom' ? <Custom grace={grace} onChange={onChange} /> : null}
      <p className={styles.hint}>{graceMsOf(grace) === 0 ? t('grace.hintNow') : t('grace.hint')}</p>
    </div>
  )
}
