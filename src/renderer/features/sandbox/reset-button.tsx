import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './sandbox.module.css'

const lost = ['plans', 'made', 'chosen'] as const
const stays = ['keys', 'app'] as const

/** Back to the first day, after a question that says what is lost and what stays. */
export function ResetButton() {
  const { t } = useTranslation('sandbox', { keyPrefix: 'reset' })
  const [isAsking, setIsAsking] = useState(false)
  const { mutate, isPending, error, reset } = useAction('sandbox.reset', {
    invalidates: ['sandbox', 'plans'],
    onSuccess: () => {
      setIsAsking(false)
      void toast(t('done'))
    },
  })
  const ask = (open: boolean): void => {
    reset()
    setIsAsking(open)
  }
  return (
    <>
      <Button icon={RotateCcw} onClick={() => ask(true)}>
        {t('button')}
      </Button>
      <ConfirmDialog
        danger
        open={isAsking}
        onOpenChange={ask}
        title={t('title')}
        description={t('text')}
        confirmLabel={t('confirm')}
        busy={isPending}
        onConfirm={() => mutate({})}
      >
        <div className={styles.stakes}>
          <p>{t('lostTitle')}</p>
          <ul>
            {lost.map((one) => (
              <li key={one}>{t(`lost.${one}`)}</li>
            ))}
          </ul>
          <p>{t('staysTitle')}</p>
          <ul>
            {stays.map((one) => (
              <li key={one}>{t(`stays.${one}`)}</li>
            ))}
          </ul>
        </div>
        {error ? <ExplainedFailure failure={error.failure} /> : null}
      </ConfirmDialog>
    </>
  )
}
