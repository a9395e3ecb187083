import type { PlanView } from '@shared/contract'

/** The plans whose name, gateway or models hold every word of a text, whatever the case. */
export function findPlans(plans: readonly PlanView[], text: string): readonly PlanView[] {
  const words = text.toLocaleLowerCase().split(/\s+/)
  return plans.filter(({ name, gatewayUrl, models }) => {
    const held = [name, gatewayUrl, ...models].join('\n').toLocaleLowerCase()
    return words.every((word) => held.includes(word))
  })
}
