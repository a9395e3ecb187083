import type { PlanView, ProfileFile } from '@shared/contract'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { Facts } from '../../ui/rows'
import { Select } from '../../ui/select'
import { AddKeyDialog } from './add-key-dialog'
import { useImport } from './import-store'
import styles from './profiles.module.css'

interface PlanMatchProps {
  readonly wanted: ProfileFile['plans'][number]
  readonly planId: string | undefined
  readonly plans: readonly PlanView[]
}

/** One plan of the file and the plan of this computer that stands for it; those with the same gateway come first. */
export function PlanMatch({ wanted, planId, plans }: PlanMatchProps) {
  const { t } = useTranslation('profiles')
  const [isAdding, setIsAdding] = useState(false)
  const match = useImport((store) => store.match)
  const fits = (plan: PlanView): boolean => plan.gatewayUrl === wanted.gatewayUrl
  const chosen = plans.find(({ id }) => id === planId)
  const sorted = plans.toSorted((a, b) => Number(fits(b)) - Number(fits(a)))
  return (
    <li className={styles.match}>
      <div className={styles.wanted}>
        <p className={styles.toolName}>{wanted.name}</p>
        <div className={styles.facts}>
          <Facts
            items={[
              <Code key="gateway" quiet>
                {wanted.gatewayUrl}
              </Code>,
              t('import.models', { count: wanted.models.length }),
            ]}
          />
        </div>
      </div>
      <div className={styles.choice}>
        {chosen ? (
          <Badge tone={fits(chosen) ? 'success' : 'warning'}>
            {t(fits(chosen) ? 'import.sameGateway' : 'import.otherGateway')}
          </Badge>
        ) : (
          <Badge tone="warning">{t('import.noPlan')}</Badge>
        )}
        {plans.length > 0 ? (
          <div className={styles.planSelect}>
            <Select
              aria-label={t('import.planFor', { name: wanted.name })}
              value={chosen?.id}
              placeholder={t('import.choosePlan')}
              onValueChange={(id) => match(wanted.ref, id)}
              options={sorted.map(({ id, name, gatewayUrl }) => ({ value: id, label: name, hint: gatewayUrl }))}
            />
          </div>
        ) : null}
        <Button
          icon={KeyRound}
          variant={plans.some(fits) ? 'secondary' : 'primary'}
          aria-label={t('import.addKeyNamed', { name: wanted.name })}
          onClick={() => setIsAdding(true)}
        >
          {t('import.addKey')}
        </Button>
      </div>
      {isAdding ? (
        <AddKeyDialog
          wanted={wanted}
          taken={plans.map(({ name }) => name)}
          onClose={() => setIsAdding(false)}
          onAdded={(plan) => {
            match(wanted.ref, plan.id)
            setIsAdding(false)
          }}
        />
      ) : null}
    </li>
  )
}
