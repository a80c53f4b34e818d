// The configuration of graded tests: ours alone. Nothing in the tree is loaded as configuration.
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

export default {
  cacheDir: `${process.env.HOME}/.vite`,
  // Vite would load the environment and the settings of PostCSS from the tree, the latter as a program.
  envDir: here("."),
  css: { postcss: {} },
  publicDir: false,
  test: {
    include: ["tests/**/*.{test,spec}.{ts,tsx,js,jsx,mts,mjs}"],
    setupFiles: [here("setup.mjs")],
    pool: "forks",
    silent: true,
    watch: false,
    passWithNoTests: false,
    allowOnly: true,
  },
};
