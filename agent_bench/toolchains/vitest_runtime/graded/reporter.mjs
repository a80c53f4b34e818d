// Runs in the parent process, apart from the tests: tells each result as it comes, where it cannot be taken back.
import { closeSync, readFileSync, writeSync } from "node:fs";
import { relative } from "node:path";

const DESCRIPTOR = 3;

export default class {
  onInit(vitest) {
    this.root = vitest.config.root;
    this.word = readFileSync(DESCRIPTOR, "ascii").trim();
    closeSync(DESCRIPTOR);
  }

  onTestCaseResult(test) {
    const name = [relative(this.root, test.module.moduleId), ...test.fullName.split(" > ")].join("::");
    this.say({ test: name, outcome: test.result().state });
  }

  onTestModuleEnd(module) {
    for (const error of module.errors()) {
      if (/^tampered: /.test(error.message)) this.say({ tampered: error.message.replace(/^tampered: /, "") });
      else this.say({ error: `${error.name}: ${error.message}`.slice(0, 500) });
    }
  }

  say(facts) {
    writeSync(1, `\n${this.word} ${JSON.stringify(facts)}\n`);
  }
}
