/// <reference lib="dom" />
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { AllBundleSettings } from './bundle-settings.tsx';
import { EraseData, erasedTexts } from './erase-data.tsx';
import { RememberedFacts } from './remembered-facts.tsx';
import { currentTheme, setTheme, type Theme, themes } from './theme.ts';

type Props = {
  close(): void;
  /** All data of the user is erased. */
  erased(): void;
};

/** What users set for themselves: how the page looks, and the props and secrets of bundles. */
export function SettingsDialog({ close, erased }: Props): ReactNode {
  const [status, setStatus] = useState<keyof typeof erasedTexts>();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="sheet settings"
      aria-labelledby="settings-title"
      onClose={close}
    >
      <h2 id="settings-title">Settings</h2>
      {status ? (
        <p role="status">{erasedTexts[status]}</p>
      ) : (
        <>
          <ThemeChoice />
          <AllBundleSettings />
          <RememberedFacts />
          <EraseData
            done={(reached) => {
              setStatus(reached);
              erased();
            }}
          />
        </>
      )}
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

function ThemeChoice(): ReactNode {
  const [chosen, setChosen] = useState(currentTheme);
  const choose = (theme: Theme) => {
    setTheme(theme);
    setChosen(theme);
  };
  return (
    <fieldset className="theme">
      <legend>Appearance</legend>
      {(Object.keys(themes) as Theme[]).map((theme) => (
        <label key={theme}>
          <input
            type="radio"
            name="theme"
            checked={theme === chosen}
            onChange={() => choose(theme)}
          />
          {themes[theme]}
        </label>
      ))}
    </fieldset>
  );
}
