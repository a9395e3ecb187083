import type { Domain, Handlers } from '@shared/contract'

type HandlerByName<Name extends string> = Name extends keyof Handlers ? Handlers[Name] : never

/** Names of the service's methods that fit the contract method of the same name by their types. */
type BindableMethod<D extends Domain, Service> = {
  [N in keyof Service & string]: Service[N] extends (...args: infer Args) => infer Result
    ? Parameters<HandlerByName<`${D}.${N}`>> extends [infer Input]
      ? [Input] extends Args
        ? Result extends ReturnType<HandlerByName<`${D}.${N}`>>
          ? N
          : never
        : Args extends []
          ? Result extends ReturnType<HandlerByName<`${D}.${N}`>>
            ? N
            : never
          : never
      : never
    : never
}[keyof Service & string]

/** Creates handlers of contract methods. Each calls the service's method of the same name. */
export function bind<D extends Domain, Service extends object, N extends BindableMethod<D, Service>>(
  domain: D,
  service: Service,
  names: readonly N[],
): Pick<Handlers, Extract<keyof Handlers, `${D}.${N}`>> {
  const handlers = names.map((name) => {
    const method: unknown = Reflect.get(service, name)
    if (typeof method !== 'function') throw new TypeError(`${domain}.${name} has no method.`)
    return [`${domain}.${name}`, (input: unknown) => Reflect.apply(method, service, [input])]
  })
  // The type `BindableMethod` ensures that names and signatures match.
  return Object.fromEntries(handlers) as Pick<Handlers, Extract<keyof Handlers, `${D}.${N}`>>
}
